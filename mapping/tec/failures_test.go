package tec

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// TestSuccessorFailures: errors are the legacy's, which may depend on another read.
func TestSuccessorFailures(t *testing.T) {
	const forbidden = `{"code":"rest_forbidden","message":"Text of the site.","data":{}}`
	const trashed, unreadable = `{"error":"In the trash."}`, `{"error":"No such item."}`
	const unknown, existing = `{"code":"rest_post_invalid_id","message":"Text of the site.","data":{"status":400}}`, `[{"id":63}]`
	for _, test := range []struct {
		endpoint, item string
		edits          bool
		status         int
		body, probe    string // the responses; "" for no probe
		want           string
	}{
		{"events.read", "5", false, 401, forbidden, unknown, "404 rest-event-not-found"},
		{"events.read", "5", false, 403, forbidden, unknown, "404 rest-event-not-found"},
		{"events.read", "5", false, 401, forbidden, existing, "403 event-not-accessible"},
		{"events.read", "5", false, 403, forbidden, `{"code":"rest_forbidden_context"}`, "403 event-not-accessible"},
		{"venues.read", "5", false, 401, forbidden, unknown, "400 rest_invalid_param"},
		{"organizers.read", "5", false, 401, forbidden, existing, "403 organizer-not-accessible"},
		{"events.read", "5", true, 401, forbidden, "", "401 rest_forbidden"},
		{"events.read", "5", true, 403, forbidden, unknown, "404 rest-event-not-found"},
		{"events.read", "5", true, 403, forbidden, existing, "403 rest_forbidden"},
		{"venues.read", "5", true, 401, forbidden, unknown, "400 rest_invalid_param"},
		{"venues.read", "5", true, 401, forbidden, existing, "401 rest_forbidden"},
		{"events.read", "5", false, 401, `{"code":"incorrect_password"}`, "", "401 incorrect_password"},
		{"events.read", "5", false, 404, unreadable, "", "403 event-no-longer-available"},
		{"venues.read", "5", false, 404, unreadable, "", "403 venue-not-accessible"},
		{"events.read", "0", false, 404, unreadable, "", "404 rest-event-not-found"},
		{"venues.read", "00", false, 404, unreadable, "", "400 rest_invalid_param"},
		{"venues.read", "5", true, 404, unreadable, "", "410 venue-is-in-trash"},
		{"organizers.delete", "5", false, 410, trashed, "", "410 organizer-is-in-trash"},
		{"events.list", "", false, 401, forbidden, "", "401 rest_forbidden"},
		{"tags.read", "5", false, 404, `{"code":"rest_term_invalid"}`, "", "400 rest_invalid_param"},
		{"tags.delete", "5", false, 404, `{"code":"rest_term_invalid"}`, "", "400 rest_invalid_param"},
		{"categories.list", "", false, 400, unknown, "", "400 rest_invalid_param"},
		{"tags.delete", "5", false, 401, `{"code":"rest_cannot_delete"}`, "", "401 rest_forbidden"},
		{"events.list", "", false, 500, `no JSON`, "", "500 "},
	} {
		call := &mapping.Call{Endpoint: mappingtest.Row(t, test.endpoint), Method: http.MethodGet, Item: test.item, Edits: test.edits}
		b := mapping.API{Dialect: Dialect, IDs: mappingtest.ParseIDs(t, "events,5,7005\nvenues,5,7005\norganizers,5,7005")}
		got := mapping.Reply{Status: test.status, Body: []byte(test.body)}
		reads := 0
		reply, err := convert(b, call, got, "", func(r mapping.Request) (mapping.Reply, error) {
			if line := mappingtest.Line(r); line != "GET /wp/v2/tags?post=7005&per_page=1&_fields=id" || !r.Tries {
				t.Errorf("asks %s", line)
			}
			reads++
			return mapping.Reply{Body: []byte(test.probe)}, nil
		})
		if (test.probe != "") != (reads == 1) {
			t.Errorf("%s %d %s: asks %d", test.endpoint, test.status, test.body, reads)
		}
		if outcome := fmt.Sprintf("%d %s", reply.Status, mapping.CodeOf(reply.Body)); err != nil || outcome != test.want {
			t.Errorf("%s %d %s, %s: %s, want %s", test.endpoint, test.status, test.body, test.probe, outcome, test.want)
		}
	}
}

// TestSuccessorUnknownSlugs: the legacy's errors differ by the request.
func TestSuccessorUnknownSlugs(t *testing.T) {
	for _, test := range []struct{ endpoint, body, want string }{
		{"events.read_by_slug", "", "400 rest_invalid_param"},
		{"events.delete_by_slug", "", "400 rest_invalid_param"},
		{"events.update_by_slug", `{"title":"x"}`, "404 rest-event-not-found"},
		{"venues.update_by_slug", `{"venue":"x"}`, "400 rest_invalid_param"},
	} {
		lookup := clientOf(backend, "", nil).firstRead(parse(t, test.endpoint, "nope", "", test.body))
		if lacks := unsupported(lookup); lacks != nil {
			t.Error(lacks)
		}
		reply, err := convert(backend, lookup, mapping.Reply{Status: 200, Header: http.Header{"X-Wp-Total": {"0"}, "X-Wp-Totalpages": {"0"}},
			Body: []byte(`[]`)}, "", nil)
		if got := fmt.Sprintf("%d %s", reply.Status, mapping.CodeOf(reply.Body)); err != nil || got != test.want {
			t.Errorf("%s: %s, want %s", test.endpoint, got, test.want)
		}
	}
}
