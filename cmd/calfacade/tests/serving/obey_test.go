//go:build !race

package serving_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestOrigin sends each request twice to a site with Cache-Control, with cache.site_headers: obey and without.
func TestOrigin(t *testing.T) {
	binary := processtest.Build(t)
	for _, test := range []struct {
		headers string
		says    string // Cache-Control of the site
		want    string // how Cache-Control for clients begins
		calls   int32
	}{
		{"limit", "no-cache,must-revalidate", "max-age=", 1},
		{"obey", "no-cache,must-revalidate", "no-cache", 2},
		{"obey", "max-age=0", "no-cache", 2},
		{"obey", "max-age=0,s-maxage=600", "max-age=0, s-maxage=", 1},
		{"limit", "private", "private, no-store", 2},
		{"obey", "private", "private, no-store", 2},
	} {
		var calls atomic.Int32
		legacy := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/events/12") {
				calls.Add(1)
			}
			w.Header().Set("Cache-Control", test.says)
			proxytest.WriteItem(w, `{"id":12}`)
		}))
		p := processtest.StartServe(t, binary, legacy, "cache: {site_headers: "+test.headers+"}")
		for _, method := range []string{http.MethodHead, http.MethodGet} {
			res := readAs(p, method, "/events/12")
			if got := res.Header.Get("Cache-Control"); !strings.HasPrefix(got, test.want) {
				t.Errorf("%s, %s: %s got %q", test.headers, test.says, method, got)
			}
		}
		if got := calls.Load(); got != test.calls {
			t.Errorf("%s, %s: %d calls, want %d", test.headers, test.says, got, test.calls)
		}
	}
}
