package facadetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// LaneTargets are hits, of all kinds, once a side is warm.
var LaneTargets = []string{
	"/wp-json/calendar/events/v1/events/5", "/wp-json/calendar/events/v1/events?per_page=3&page=1",
	"/wp-json/calendar/events/v1/events/?page=1&per_page=3",
	"/es/wp-json/calendar/events/v1/events/5", "/wp-json/calendar/events/v1/venues/7",
	"/wp-json/calendar/events/v1/events/5?i18n_language=es", "//wp-json/calendar/events/v1/events/5",
	"/wp-json/calendar/ev%65nts/v1/events/%35//", "/wp-json/calendar/events/v1/events?search=%E9%25",
	"/wp-json/calendar/events/v1/events/404",
	"/wp-json/calendar/events/v1/events/", "/es/wp-json/calendar/events/v1/events/", // cut before the id
}

// LaneSite is the part that two sides have in common, so that their entries are the same.
type LaneSite struct {
	URL   string
	Cache *cache.Cache
	Now   atomic.Int64 // nanoseconds since start

	Edited atomic.Int32 // times that the list was
	Listed atomic.Int32 // times that it was requested

	Held         chan struct{} // received when heldTarget is requested; a second value releases the response
	Disconnected chan struct{} // received when its client has disconnected
}

func (s *LaneSite) Clock() time.Time { return Start.Add(time.Duration(s.Now.Load())) }

func NewLaneSite(t testing.TB) *LaneSite {
	s := &LaneSite{Held: make(chan struct{}), Disconnected: make(chan struct{})}
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		title := "Harbour Lights "
		if strings.HasPrefix(r.URL.Path, "/new/") {
			title = "New Harbour Lights "
		}
		switch {
		case strings.HasSuffix(r.URL.Path, HeldTarget):
			s.Held <- struct{}{}
			select {
			case <-s.Held:
				proxytest.WriteItem(w, `{"id":77}`)
			case <-r.Context().Done():
				s.Disconnected <- struct{}{}
			}
		case strings.HasSuffix(r.URL.Path, "/events"):
			s.Listed.Add(1)
			w.Header().Set("X-TEC-Total", "1")
			w.Header().Set("X-TEC-TotalPages", "1")
			proxytest.WriteItem(w, `{"events":[{"id":5,"title":"%s"}],"total":1,"total_pages":1}`,
				strings.Repeat("Ébb & flow ", 700+int(s.Edited.Load())))
		case strings.HasSuffix(r.URL.Path, AgedTarget):
			w.Header().Set("Cache-Control", "max-age=3600")
			w.Header().Set("Age", "80")
			proxytest.WriteItem(w, `{"id":80}`)
		case strings.HasSuffix(r.URL.Path, "/404"):
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"code":"event-not-found","message":"The event was not found","data":{"status":404}}`)
		case strings.Contains(r.URL.Path, "/organizers/"):
			proxytest.WriteItem(w, `{"id":9,"organizer":"%s"}`, strings.Repeat("Tide ", 50_000))
		case strings.Contains(r.URL.Path, "/venues/"):
			proxytest.WriteItem(w, `{"id":7,"venue":"Quay"}`)
		default:
			proxytest.WriteItem(w, `{"id":5,"title":"%s"}`, strings.Repeat(title, 200))
		}
	}))
	t.Cleanup(legacy.Close)
	s.URL = legacy.URL
	s.Cache = cache.New(cache.Options{Clock: s.Clock})
	t.Cleanup(s.Cache.Close)
	return s
}

// LongTarget is a hit of 250 KB, which no buffer on the way takes whole.
const LongTarget = "/wp-json/calendar/events/v1/organizers/9"

// HeldTarget is the end of a target whose response waits for the test.
const HeldTarget = "/tags/77"
