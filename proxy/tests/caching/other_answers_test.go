package caching_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// otherAnswers are answers of a firewall or a plugin in front of the API, with the status of a success.
var otherAnswers = []string{
	`{"message":"Access denied by a bot protection"}`,
	`{"code":"internal_error","message":"x","data":{"status":500}}`,
	`{"events":{"message":"denied"}}`,
	`{"events":[{"id":6}]}`,
	`{"events":[1,2],"total":2,"total_pages":1}`,
	`{"events":{"message":"denied"},"total":1,"total_pages":1}`,
	`{"id":999,"status":"publish"}`,
	`{"id":"five"}`,
	`{"id":-5,"slug":"five"}`,
	`{}`,
	`{"id":5,"slug":"five"}`,
	`{"id":"5","slug":"five"}`,
	`{"id":5,"slug":"five","code":"blocked","message":"x","data":{"status":403}}`,
	`{"id":5,"slug":"five","title":"Access denied"}`,
	`{"events":[],"total":0,"total_pages":0}`,
	`{"tags":[],"venues":[],"categories":[],"events":[],"total":0,"total_pages":0}`,
	allLists(`[{"foo":1}]`, `1`, `1`),
	allLists(`[{"id":6}]`, `1`, `1`),
	allLists(`[{"title":"x","name":"x","url":"https://x.example/","global_id":"x","rest_url":"https://x.example/","urls":{}}]`, `1`, `1`),
	allLists(`{"1":{"id":6}}`, `1`, `1`),
	allLists(`[]`, `-1`, `1`),
	allLists(`[]`, `1e3`, `1`),
	allLists(`[]`, `1.5`, `1`),
	allLists(`[]`, `null`, `1`),
	allLists(`[]`, `"many"`, `1`),
	allLists(`[]`, `99999999999999999999`, `1`),
	allLists(`[]`, `0`, `-1`),
	allLists(`[]`, `0`, `true`),
}

// allLists is a list whatever was asked for, with a link to itself.
func allLists(items, total, pages string) string {
	return fmt.Sprintf(`{"events":%[1]s,"venues":%[1]s,"categories":%[1]s,"tags":%[1]s,"rest_url":"x","total":%s,"total_pages":%s}`,
		items, total, pages)
}

// TestOtherAnswers: JSON with the status of a success that is no answer to the request is a fault of the site,
// whatever was asked for and in both dialects.
func TestOtherAnswers(t *testing.T) {
	for name, change := range map[string]func(*proxy.Options){
		"legacy": nil,
		"tec/v1": func(o *proxy.Options) { o.Legacy.Dialect.Dialect = tec.Dialect },
	} {
		for _, body := range otherAnswers {
			f := facadetest.NewCachedFacade(t, change) // without an entry that another body made
			f.Answers(func(w http.ResponseWriter, r *http.Request) {
				status := http.StatusOK
				if r.Method == http.MethodPost {
					status = http.StatusCreated
				}
				facadetest.Sends(status, body)(w, r)
			})
			for _, line := range []string{
				"GET /events", "HEAD /events", "GET /events/5", "GET /events/by-slug/five", "GET /venues", "GET /venues/5",
				"GET /categories", "GET /tags/5", "GET /events?tags=1,2",
				"POST /tags {\"name\":\"x\"}", "PUT /tags/5 {\"name\":\"x\"}", "DELETE /tags/5", "DELETE /events/5",
				"PUT /organizers/5 {\"phone\":\"1\"}",
			} {
				if (strings.Contains(line, "by-slug") || strings.HasPrefix(line, "POST")) && strings.Contains(body, "999") {
					continue // it may be the item of the slug, or what was created
				}
				for range 2 { // nothing is stored
					res, got := f.Send(line)
					if res.StatusCode != http.StatusBadGateway && res.StatusCode != http.StatusGatewayTimeout {
						t.Errorf("%s: %s answered with %s: %d %s", name, line, body, res.StatusCode, got)
					}
				}
			}
		}
	}
}

// TestOtherAnswersOverAnEntry: the stale entry is served, and stays.
func TestOtherAnswersOverAnEntry(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Freshness.StaleWhileRevalidate = 0 })
	f.Answers(facadetest.Entitled("old"))
	f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
	f.Pass(30 * time.Minute)
	f.Answers(facadetest.Sends(http.StatusOK, otherAnswers[0]))
	for range 2 {
		if res, body := f.Send("GET /events/5"); res.StatusCode != http.StatusOK || !strings.Contains(body, `"old"`) {
			t.Errorf("got %d %s", res.StatusCode, body)
		}
	}
}

// TestStatusOfAnotherAction: a create that is answered as an update may not have been made, and the reverse.
func TestStatusOfAnotherAction(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	for line, status := range map[string]int{
		"POST /tags {\"name\":\"x\"}":  http.StatusOK,
		"PUT /tags/5 {\"name\":\"x\"}": http.StatusCreated,
		"DELETE /tags/5":               http.StatusCreated,
	} {
		f.Answers(facadetest.Answer(status, `{"id":5}`))
		if res, body := f.Send(line); res.StatusCode != http.StatusGatewayTimeout {
			t.Errorf("%s: %d: %d %s", line, status, res.StatusCode, body)
		}
	}
	f.Answers(facadetest.Answer(http.StatusOK, `{"id":5,"status":"publish"}`))
	if res, body := f.Send("DELETE /events/5"); res.StatusCode != http.StatusGatewayTimeout {
		t.Errorf("an item that remains: %d %s", res.StatusCode, body)
	}
}

// TestUnpairedSurrogates: what a plugin or a filter has cut in half is passed on as it came, in both
// dialects. A client's is refused, as WordPress refuses it.
func TestUnpairedSurrogates(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*proxy.Options)
		list   string
	}{
		"legacy": {nil, `{"categories":[{"id":5,"name":"\ud83c","slug":"s"}],"total":1,"total_pages":1}`},
		"tec/v1": {
			func(o *proxy.Options) { o.Legacy.Dialect.Dialect = tec.Dialect },
			`[{"id":5,"name":"\ud83c","slug":"s","count":1,"parent":0,"link":"https://x.example/c/","taxonomy":"tribe_events_cat"}]`,
		},
	} {
		f := facadetest.NewCachedFacade(t, test.change)
		f.Answers(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Wp-Total", "1")
			w.Header().Set("X-Wp-Totalpages", "1")
			facadetest.Answer(http.StatusOK, test.list)(w, r)
		})
		if res, body := f.Send("GET /categories"); res.StatusCode != http.StatusOK || !strings.Contains(body, `"name":"\ud83c"`) {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
		calls := f.Calls.Load()
		if res, body := f.Send(`POST /categories {"name":"\ud83c"}`); res.StatusCode != http.StatusBadRequest || f.Calls.Load() != calls {
			t.Errorf("%s: of a client: %d %s", name, res.StatusCode, body)
		}
	}
}
