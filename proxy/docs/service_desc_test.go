package docs_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestServiceDesc: who gets an error, or begins at the index, learns where the API is described (RFC 8631).
func TestServiceDesc(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	item := *f.Reply.Load()
	f.Answers(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"code":"event-not-found","message":"","data":{"status":404}}`)
	})
	for line, status := range map[string]int{
		"GET ":                       http.StatusOK,
		"HEAD ":                      http.StatusOK,
		"GET /events/999999":         http.StatusNotFound, // of the site, and of the cache the second time
		"GET /events?page=0":         http.StatusBadRequest,
		"GET /nothing":               http.StatusNotFound,
		"DELETE /events":             http.StatusMethodNotAllowed,
		"POST /events?title=a":       http.StatusBadRequest,
		"GET ?namespace=tribe/other": http.StatusNotFound,
	} {
		for range 2 {
			res, body := f.Send(line)
			want := "<" + facadetest.PublicURL + `/wp-json/calendar/events/v1/doc>; rel="service-desc"; type="application/json"`
			if got := strings.Join(res.Header.Values("Link"), " "); res.StatusCode != status || got != want {
				t.Errorf("%s: %d %s\nLink: %s", line, res.StatusCode, body, got)
			}
		}
	}
	if res, _ := f.Send("GET /es/events/999999"); !strings.Contains(res.Header.Get("Link"), "/es/wp-json/calendar/events/v1/doc>") {
		t.Errorf("in Spanish: %s", res.Header.Get("Link"))
	}
	f.Answers(item)
	for _, line := range []string{"GET /events/5", "OPTIONS /events"} {
		if res, _ := f.Send(line); res.Header.Get("Link") != "" {
			t.Errorf("%s: Link %s", line, res.Header.Get("Link"))
		}
	}
}
