package tec

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// TestSuccessorLinks: venues, organizers and terms of a write are read first, each once, but for those
// that the event has.
func TestSuccessorLinks(t *testing.T) {
	b := mapping.API{Dialect: Dialect, IDs: mappingtest.ParseIDs(t, "venues,4,7004\nvenues,7004,99")}
	const dates = `"title":"x","status":"draft","start_date":"2027-01-02","end_date":"2027-01-02"`
	const many = "9,19,29,39,49,59,69,79,89,99,109"
	for _, test := range []struct{ endpoint, body, want string }{
		{"events.create", `{` + dates + `}`, "write"},
		{"events.create", `{` + dates + `,"venue":4,"organizer":[5,{"id":6}]}`,
			"GET /tec/v1/venues/7004, GET /tec/v1/organizers/5, GET /tec/v1/organizers/6, write"},
		{"events.create", `{` + dates + `,"organizer":[` + many + `]}`, "organizer"},
		{"events.update", `{"venue":4,"organizer":[5,6]}`, "GET /tec/v1/events/1, GET /tec/v1/organizers/6, write"},
		{"events.update", `{"venue":3}`, "GET /tec/v1/events/1, GET /tec/v1/venues/3, write"},
		{"events.create", `{` + dates + `,"categories":[8,7],"venue":4}`,
			"GET /tec/v1/venues/7004, GET /wp/v2/tribe_events_cat?include=7%2C8, write"},
		{"events.create", `{` + dates + `,"categories":[8,9]}`,
			"GET /wp/v2/tribe_events_cat?include=8%2C9, invalid or missing: categories"},
		{"events.create", `{` + dates + `,"tags":[1,2,3,4,5,6,7,8,9,10,11]}`,
			"GET /wp/v2/tags?include=1%2C2%2C3%2C4%2C5%2C6%2C7%2C8%2C9%2C10, invalid or missing: tags"},
		{"events.update", `{"categories":[7,8]}`, "GET /tec/v1/events/1, write"},
		{"events.update", `{"venue":[]}`, "GET /tec/v1/events/1, venue"},
	} {
		item := ""
		if strings.HasSuffix(test.endpoint, "update") {
			item = "1"
		}
		call := parse(t, test.endpoint, item, "", test.body)
		var steps []string
		_, err := do(b, call, func(r mapping.Request) (mapping.Reply, error) {
			body := `{"id":1,"status":"draft","venues":[{"id":7004}],"organizers":[{"id":5}],"tribe_events_cat":[7,8],"tags":[]}`
			switch {
			case r.Method != http.MethodGet:
				steps = append(steps, "write")
				return mapping.Reply{Body: []byte(body)}, nil
			case strings.HasPrefix(r.Path, "/wp/v2/"):
				body = `[{"id":7,"taxonomy":"tribe_events_cat"},{"id":8,"taxonomy":"tribe_events_cat"}]`
			}
			if !strings.Contains(r.Query, "per_page=100") { // beside a response
				steps = append(steps, mappingtest.Line(r))
			}
			return mapping.Reply{Header: counts, Body: []byte(body)}, nil
		})
		if err != nil {
			steps = append(steps, strings.TrimPrefix(err.Error(), mapping.ErrNotSupported.Error()+": "))
		}
		if diff := cmp.Diff(test.want, strings.Join(steps, ", ")); diff != "" {
			t.Errorf("%s: %s", test.body, diff)
		}
	}
}

// TestSuccessorUnknownLinks: the error names the field, as the legacy's does.
func TestSuccessorUnknownLinks(t *testing.T) {
	call := parse(t, "events.create", "", "",
		`{"title":"x","status":"draft","start_date":"2027-01-02","end_date":"2027-01-02","organizer":[5]}`)
	for body, want := range map[string]string{
		`{"code":"rest_forbidden"}`:     `400 rest_invalid_param "params":{"organizer":`,
		`{"error":"No such item."}`:     `400 rest_invalid_param "params":{"organizer":`,
		`{"code":"incorrect_password"}`: `403 incorrect_password `,
	} {
		got := mapping.Reply{Status: http.StatusForbidden, Body: []byte(body)}
		lookup := clientOf(backend, "", nil).firstRead(call)
		var reads []string
		reply, err := convert(backend, lookup, got, "", recordTo(&reads))
		if reads != nil {
			t.Errorf("%s: asks %v", body, reads)
		}
		status, text, _ := strings.Cut(want, `"`)
		if outcome := fmt.Sprintf("%d %s ", reply.Status, mapping.CodeOf(reply.Body)); err != nil || outcome != status ||
			!strings.Contains(string(reply.Body), text) {
			t.Errorf("%s: %s, %v", outcome, reply.Body, err)
		}
	}
}
