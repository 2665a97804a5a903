package tec

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// serve answers the requests of a call from lists by path, and returns its response.
func serve(t *testing.T, b mapping.API, call *mapping.Call, lists map[string][]string) (requests []string, got mapping.Reply,
	err error) {
	t.Helper()
	parallel := 0
	got, err = do(b, call, func(r mapping.Request) (mapping.Reply, error) {
		query, err := url.ParseQuery(r.Query)
		if err != nil {
			t.Fatal(err)
		}
		if query.Has("include") { // beside a response
			parallel++
			return mapping.Reply{Body: []byte("[]")}, nil
		}
		requests = append(requests, mappingtest.Line(r))
		slugs := lists[r.Path]
		per := mapping.ParseCount(query.Get("per_page"))
		page := max(1, mapping.ParseCount(query.Get("page")))
		start := min((page-1)*per, len(slugs))
		header := http.Header{"X-Wp-Total": {strconv.Itoa(len(slugs))}, "X-Wp-Totalpages": {strconv.Itoa((len(slugs) + per - 1) / per)}}
		return mapping.Reply{Header: header, Body: []byte("[" + strings.Join(slugs[start:min(start+per, len(slugs))], ",") + "]")}, nil
	})
	if parallel > 0 {
		requests = append(requests, fmt.Sprintf("%d beside", parallel))
	}
	return requests, got, err
}

// event is one with terms.
func event(id int, categories, tags string) string {
	return fmt.Sprintf(`{"id":%d,"title":{"rendered":"x"},"tribe_events_cat":[%s],"tags":[%s]}`, id, categories, tags)
}

// TestSuccessorTerms filters events by terms, which the successor does not do.
func TestSuccessorTerms(t *testing.T) {
	categories := []string{`{"id":9,"slug":"grandchild","parent":8}`, `{"id":7,"slug":"music","parent":0}`,
		`{"id":8,"slug":"child","parent":7}`}
	var tags []string
	for id := range 101 {
		tags = append(tags, fmt.Sprintf(`{"id":%d,"slug":"t%d"}`, 1000+id, id))
	}
	lists := map[string][]string{
		"/wp/v2/tribe_events_cat": categories,
		"/wp/v2/tags":             tags,
		"/tec/v1/events": {
			event(1, "7", ""), event(2, "9,5", "1100"), event(3, "5", "1100"), event(4, "8", "1000"), event(5, "", ""),
		},
	}
	const (
		readCategories = "GET /wp/v2/tribe_events_cat?_fields=id%2Cslug%2Cparent&page=1&per_page=100"
		readTags       = "GET /wp/v2/tags?_fields=id%2Cslug%2Cparent&page=1&per_page=100"
		readMoreTags   = "GET /wp/v2/tags?_fields=id%2Cslug%2Cparent&page=2&per_page=100"
		readEvents     = "GET /tec/v1/events?per_page=1000&ends_after=2027-01-01"
	)
	ids := mappingtest.ParseIDs(t, "categories,70,7\nevents,40,4")
	for _, test := range []struct {
		query    string
		want     string // ids, total and pages
		requests []string
	}{
		{"categories=music", "1 2 4 of 3 in 1", []string{readCategories, readEvents, "2 beside"}},
		{"categories=70", "1 2 4 of 3 in 1", nil},
		{"categories=child", "2 4 of 2 in 1", nil},
		{"categories=music&per_page=2", "1 2 of 3 in 2", nil},
		{"categories=music&per_page=2&page=2", "4 of 3 in 2", []string{readCategories, readEvents, "2 beside"}},
		{"categories=music&per_page=2&page=3", "event-archive-page-not-found", nil},
		{"tags=t100,1000", "2 3 4 of 3 in 1", []string{readTags, readMoreTags, readEvents, "2 beside"}},
		{"categories=music&tags=t100", "2 of 1 in 1", []string{readCategories, readTags, readMoreTags, readEvents, "2 beside"}},
		{"tags=t55", " of 0 in 0", nil},
	} {
		call := parse(t, "events.list", "", "strict_dates=1&ends_after=2027-01-01&"+test.query, "")
		requests, reply, err := serve(t, mapping.API{Dialect: Dialect, IDs: ids}, call, lists)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		var names []string
		for _, item := range jsonscan.AsList(jsonscan.Get(reply.Body, "events")) {
			id, _ := mapping.ItemID(item)
			names = append(names, id)
		}
		got := fmt.Sprintf("%s of %s in %s", strings.Join(names, " "), jsonscan.Get(reply.Body, "total"),
			jsonscan.Get(reply.Body, "total_pages"))
		if reply.Status != http.StatusOK {
			got = mapping.CodeOf(reply.Body)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.query, got, test.want)
		}
		if diff := cmp.Diff(test.requests, requests); test.requests != nil && diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.query, diff)
		}
	}
}

// TestSuccessorTermsFail: a filter that cannot be applied exactly is refused.
func TestSuccessorTermsFail(t *testing.T) {
	many := make([]string, maxTerms+1)
	for i := range many {
		many[i] = event(i+1, "", "")
	}
	for _, test := range []struct {
		name, query string
		lists       map[string][]string
		want        string
	}{
		{"an unknown term", "tags=no", map[string][]string{"/wp/v2/tags": {`{"id":1,"slug":"a"}`}}, "invalid or missing: tags"},
		{"an unknown id", "categories=3,1", map[string][]string{"/wp/v2/tribe_events_cat": {`{"id":1,"slug":"a"}`}},
			"invalid or missing: categories"},
		{"no terms", "tags=1", nil, "invalid or missing: tags"},
		{"too many terms", "tags=1", map[string][]string{"/wp/v2/tags": many}, mapping.Lacking{"tags"}.Error()},
		{"too many events", "tags=1", map[string][]string{"/wp/v2/tags": {`{"id":1,"slug":"a"}`}, "/tec/v1/events": many},
			mapping.Lacking{"tags"}.Error()},
	} {
		_, _, err := serve(t, backend, parse(t, "events.list", "", test.query, ""), test.lists)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	call := parse(t, "events.list", "", "tags=1", "")
	for damaged, want := range map[string]error{`{}`: jsonscan.ErrNotList, `[]`: mapping.ErrIncomplete} {
		if _, err := do(backend, call, respond(damaged)); !errors.Is(err, want) {
			t.Errorf("%s: %v", damaged, err)
		}
	}
}
