package writing_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestTooManyValues: half a million values fit into the largest body, and would take
// forty times its bytes.
func TestTooManyValues(t *testing.T) {
	f := proxy.New(proxy.Options{
		PublicURL: facadetest.PublicURL,
		Site:      i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: "http://127.0.0.1:1/wp-json"}},
	})
	t.Cleanup(f.Close)
	r := httptest.NewRequest(http.MethodPost, "/wp-json/calendar/events/v1/events",
		strings.NewReader(`{"unknown":[1`+strings.Repeat(",1", 1<<18)+"]}"))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(),
		`"code":"rest_too_many_params","message":"More than 10000 parameters."`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
