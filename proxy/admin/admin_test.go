package admin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/calfacade/calfacade/proxy/admin"
)

func TestAdmin(t *testing.T) {
	admin := newAdmin(admin.Options{})
	status := func(method, path string) int {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.Host = "10.0.0.1:9090"
		admin.ServeHTTP(w, r)
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
	admin.Drain()
	if got := status("GET", "/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("draining: /readyz %d", got)
	}
	if got := status("GET", "/livez"); got != http.StatusOK {
		t.Errorf("draining: /livez %d", got)
	}
}
