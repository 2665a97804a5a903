package admin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/calfacade/calfacade/proxy/admin"
)

func TestPprof(t *testing.T) {
	const token = "0123456789abcdef"
	for _, test := range []struct {
		options admin.Options
		token   string
		want    int
	}{
		{admin.Options{}, "", 404},
		{admin.Options{Token: token, Secrets: plainSecrets{}, Client: noAddress}, "", 401},
		{admin.Options{Token: token, Secrets: plainSecrets{}, Client: noAddress}, "0123456789abcdeX", 401},
		{admin.Options{Token: token, Secrets: plainSecrets{}, Client: noAddress}, token, 200},
	} {
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=1"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = "localhost:9090"
			r.Header.Set("Authorization", "Bearer "+test.token)
			w := httptest.NewRecorder()
			newAdmin(options{Options: test.options}).ServeHTTP(w, r)
			if w.Code != test.want {
				t.Errorf("%s, token %q, sent %q: got %d, want %d", path, test.options.Token, test.token, w.Code, test.want)
			}
		}
	}
}
