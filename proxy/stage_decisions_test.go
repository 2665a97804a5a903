package proxy_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
)

// knowledge is how well an instance knows the decisions of all.
type knowledge struct{ certainty atomic.Int32 }

func (k *knowledge) Await(context.Context) staging.Certainty { return k.Certainty() }

func (k *knowledge) Certainty() staging.Certainty { return staging.Certainty(k.certainty.Load()) }

// TestDecisionsUnknown: while other instances may have moved the writes, none is sent. Reads
// are, and writes too while no decision can count on another instance.
func TestDecisionsUnknown(t *testing.T) {
	var known knowledge
	f := newStagedFacade(t, all(staging.New), staging.Rollback{}, func(o *proxy.Options) {
		unwatched(o)
		o.Decisions = &known
	})
	send := func(method string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/wp-json/calendar/events/v1/events/5", strings.NewReader(`{"title":"x"}`))
		r.Header.Set("Content-Type", "application/json")
		r.SetBasicAuth("editor", "secret")
		w := httptest.NewRecorder()
		f.facade.ServeHTTP(w, r)
		return w
	}
	for _, test := range []struct {
		known  staging.Certainty
		method string
		status int
		calls  int32
	}{
		{staging.Current, http.MethodPost, http.StatusOK, 1},
		{staging.Held, http.MethodPost, http.StatusOK, 1},
		{staging.Unknown, http.MethodPost, http.StatusServiceUnavailable, 0},
		{staging.Unknown, http.MethodGet, http.StatusOK, 1},
	} {
		known.certainty.Store(int32(test.known))
		before := f.there.calls.Load()
		w := send(test.method)
		if made := f.there.calls.Load() - before; w.Code != test.status || made < test.calls || test.calls == 0 && made > 0 {
			t.Errorf("%s while the decisions are %s: %d after %d calls: %s", test.method, test.known, w.Code, made, w.Body)
		}
		if test.calls == 0 && (w.Header().Get("Retry-After") != "5" || !strings.Contains(w.Body.String(), "calendar_read_only")) {
			t.Errorf("refused with %v: %s", w.Header(), w.Body)
		}
	}
}
