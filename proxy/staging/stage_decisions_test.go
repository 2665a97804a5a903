package staging_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestDecisionsUnknown: while Redis does not answer, other instances may have moved the writes, and
// no write is sent. Reads are.
func TestDecisionsUnknown(t *testing.T) {
	store, err := redisstore.Open(redisstore.Options{URLs: []string{"redis://127.0.0.1:" + redistest.FreePort(t)},
		Timeout: time.Millisecond})
	store = redistest.Closing(t, store, err)
	shared := cache.New(cache.Options{Shared: store})
	t.Cleanup(shared.Close)
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, func(o *proxy.Options) {
		facadetest.Unwatched(o)
		o.Cache = shared
	})
	send := func(method string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/wp-json/calendar/events/v1/events/5", strings.NewReader(`{"title":"x"}`))
		r.Header.Set("Content-Type", "application/json")
		r.SetBasicAuth("editor", "secret")
		w := httptest.NewRecorder()
		f.Facade.ServeHTTP(w, r)
		return w
	}
	if w := send(http.MethodPost); w.Code != http.StatusServiceUnavailable || f.NewSite.Calls.Load()+f.Calls.Load() > 0 ||
		w.Header().Get("Retry-After") != "5" || !strings.Contains(w.Body.String(), "calendar_read_only") {
		t.Errorf("a write: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := send(http.MethodGet); w.Code != http.StatusOK || f.NewSite.Calls.Load() == 0 {
		t.Errorf("a read: %d %s", w.Code, w.Body)
	}
}
