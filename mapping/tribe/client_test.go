package tribe

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

var legacy = mapping.API{Dialect: Dialect}

// reader answers the reads on the way to a call.
type reader func(call *mapping.Call) (body []byte, err error)

// respondWith is the reader that finds an item, or a list, by every read.
func respondWith(body string) reader {
	return func(*mapping.Call) ([]byte, error) { return []byte(body), nil }
}

// sending is a call on a site; a reader answers the reads.
type sending struct {
	call    *mapping.Call // the call as it was sent; nil: nothing was sent
	request mapping.Request
}

// environmentOf returns an environment with a site; a reader answers the reads.
func environmentOf(respond reader) mapping.Environment {
	return mapping.Environment{
		Send: func(_ context.Context, call *mapping.Call, _ mapping.Request) (mapping.Reply, error) {
			body, err := respond(call)
			return mapping.Reply{Status: http.StatusOK, Header: http.Header{}, Body: body}, err
		},
		Accept: func(context.Context, *mapping.Call, mapping.Reply) error { return nil },
	}
}

// send makes a write on a site in a zone, which answers it with an empty object.
func send(b mapping.API, c *mapping.Call, zone *time.Location, respond reader) (s sending, err error) {
	line := environmentOf(respond)
	line.Zone = func(context.Context) (*time.Location, error) { return zone, nil }
	send := line.Send
	line.Send = func(ctx context.Context, call *mapping.Call, r mapping.Request) (mapping.Reply, error) {
		if !call.Endpoint.Writes() {
			return send(ctx, call, r)
		}
		s.call = call
		s.request = r
		return mapping.Reply{Status: call.Endpoint.Success(), Body: []byte("{}")}, nil
	}
	_, err = b.Dialect.Client(b, line).Do(context.Background(), c)
	return s, err
}

// preview returns the request of a call.
func preview(b mapping.API, c *mapping.Call, language string) mapping.Request {
	_, request := b.Dialect.Client(b, mapping.Environment{Language: language}).Preview(c)
	return request
}

func parseBody(t testing.TB, row, item, query, body string) *mapping.Call {
	t.Helper()
	call, err := mappingtest.ParseBody(t, row, item, query, body)
	if err != nil {
		t.Fatal(row, query, body, err)
	}
	return call
}

// reasons formats faults as param:reason.
func reasons(err error) string {
	faults, _ := errors.AsType[mapping.Faults](err)
	var out []string
	for _, f := range faults {
		out = append(out, f.Param+":"+f.Reason)
	}
	return strings.Join(out, " ")
}

// TestReadBySlug: an item that was read by its slug has that slug. A venue without one
// leaves the member out (recording odd-by-slug---admin).
func TestReadBySlug(t *testing.T) {
	for body, want := range map[string]error{
		`{"id":5,"slug":"gala"}`: nil, `{"id":5,"slug":"other"}`: mapping.ErrOtherItem, `{"id":5,"slug":""}`: mapping.ErrOtherItem,
		`{"id":5}`: mapping.ErrOtherItem,
	} {
		call := &mapping.Call{Endpoint: mappingtest.Row(t, "venues.read_by_slug"), Method: http.MethodGet, Item: "gala"}
		if _, err := send(legacy, call, nil, respondWith(body)); !errors.Is(err, want) {
			t.Errorf("%s: got %v", body, err)
		}
	}
}

// TestRequests: requests for the meanings of the table that the legacy does not have by itself.
func TestRequests(t *testing.T) {
	for _, test := range []struct{ endpoint, item, query, body, want string }{
		{"events.list", "", "include=5,3", "", "GET /tribe/events/v1/events?include=3%2C5&per_page=10&ends_before=2999-12-31"},
		{"events.list", "", "ends_after=1970-01-01T01:00:00%2B01:00&ends_before=@0", "",
			"GET /tribe/events/v1/events?ends_after=1970-01-01T01%3A00%3A01%2B01%3A00&ends_before=%401&per_page=10"},
		{"venues.create", "", "", `{"venue":"a\\b"}`, `POST /tribe/events/v1/venues {"venue":"a\\\\b"}`},
		{"tags.create", "", "", `{"name":"a\\b"}`, `POST /tribe/events/v1/tags {"name":"a\\b"}`},
	} {
		call := parseBody(t, test.endpoint, test.item, test.query, test.body)
		if got := mappingtest.Line(preview(legacy, call, "")); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// TestPreview: the first read on the way is the one that is made first.
func TestPreview(t *testing.T) {
	for _, test := range []struct{ endpoint, item, query, body, preview string }{
		{"events.read", "5", "", "", ""},
		{"events.list", "", "tags=a,b", "", ""},
		{"events.update", "5", "", `{"title":"T"}`, "GET /tribe/events/v1/events/5?context=edit"},
		{"venues.delete_by_slug", "gala", "", "", "GET /tribe/events/v1/venues/by-slug/gala"},
		{"events.create", "", "", `{"title":"T","start_date":"2027-01-01","end_date":"2027-01-01","categories":[7,5]}`,
			"GET /tribe/events/v1/categories?include=5%2C7"},
		{"events.create", "", "", `{"title":"T","start_date":"2027-01-01","end_date":"2027-01-01","tags":["Free"]}`,
			"GET /tribe/events/v1/tags?hide_empty=false&per_page=50&slug=free"},
		{"tags.update", "5", "", `{"name":"x"}`, ""},
	} {
		call := parseBody(t, test.endpoint, test.item, test.query, test.body)
		first, _ := legacy.Dialect.Client(legacy, mapping.Environment{}).Preview(call)
		got := ""
		if first.Path != "" {
			got = mappingtest.Line(first)
		}
		if got != test.preview {
			t.Errorf("%s %s: got %q, want %q", test.endpoint, test.body, got, test.preview)
		}
	}
}

// TestIDsOfALookup: an id that was looked up is the backend's, and the call has the client's.
func TestIDsOfALookup(t *testing.T) {
	b := mapping.API{Dialect: Dialect, IDs: mappingtest.ParseIDs(t, "events,12,7012")}
	call := parseBody(t, "events.update_by_slug", "gala", "", `{"slug":"new"}`)
	done, err := send(b, call, nil, respondWith(`{"id":7012,"slug":"gala","status":"publish"}`))
	if err != nil {
		t.Fatal(err)
	}
	if done.call.Item != "12" || done.request.Path != "/tribe/events/v1/events/7012" {
		t.Errorf("item %s, sent as %s", done.call.Item, done.request.Path)
	}
}

// TestLegacyNamesAreNoUnion: a client of the legacy gets the list of the first tag, as from the legacy.
func TestLegacyNamesAreNoUnion(t *testing.T) {
	query, err := mapping.DecodeForm("tags=a,b")
	if err != nil {
		t.Fatal(err)
	}
	for _, inLegacyNames := range []bool{true, false} {
		input := mapping.Input{Query: query, InLegacyNames: inLegacyNames}
		call, err := mapping.Parse(mappingtest.Row(t, "events.list"), http.MethodGet, input, mapping.Drop)
		if err != nil {
			t.Fatal(err)
		}
		if several := severalOf(call) != nil; several == inLegacyNames {
			t.Errorf("legacy names %t: a union %t", inLegacyNames, several)
		}
	}
}
