package admin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAdmin(t *testing.T) {
	admin := newAdmin(options{})
	status := func(method, path string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.Host = "10.0.0.1:9090"
		admin.ServeHTTP(w, r)
		if got := w.Header().Get("Retry-After"); (got == "1") != (w.Code == http.StatusServiceUnavailable) {
			t.Errorf("%s %s: %d, Retry-After %q", method, path, w.Code, got)
		}
		return w.Code
	}
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/livez", 200}, {"GET", "/readyz", 200}, {"POST", "/livez", 405}, {"GET", "/", 303}, {"GET", "/other", 404},
	} {
		if got := status(test.method, test.path); got != test.want {
			t.Errorf("%s %s: got %d, want %d", test.method, test.path, got, test.want)
		}
	}
	for path, methods := range map[string][]string{"/purge": {"GET", "PURGE"}, "/purge/replay": {"GET", "DELETE"}, "/staging": {"PUT"}} {
		for _, method := range methods {
			w := httptest.NewRecorder()
			admin.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
				t.Errorf("%s %s: %d, Allow %q", method, path, w.Code, w.Header().Get("Allow"))
			}
		}
	}
	admin.Drain()
	if got := status("GET", "/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("draining: /readyz %d", got)
	}
	if got := status("GET", "/livez"); got != http.StatusOK {
		t.Errorf("draining: /livez %d", got)
	}
}
