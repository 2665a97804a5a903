package main

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// testOrigin sends each request twice to a site with Cache-Control, with cache.obey_origin and without.
func testOrigin(t *testing.T, binary string) {
	for _, test := range []struct {
		obey  string
		says  string // Cache-Control of the site
		want  string // how Cache-Control for clients begins
		calls int32
	}{
		{"false", "no-cache,must-revalidate", "max-age=", 1},
		{"true", "no-cache,must-revalidate", "no-cache", 2},
		{"true", "max-age=0", "no-cache", 2},
		{"true", "max-age=0,s-maxage=600", "max-age=0, s-maxage=", 1},
		{"false", "private", "private, no-store", 2},
		{"true", "private", "private, no-store", 2},
	} {
		var calls atomic.Int32
		legacy := serveTest(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/events/12") {
				calls.Add(1)
			}
			w.Header().Set("Cache-Control", test.says)
			_, _ = io.WriteString(w, `{"id":12}`)
		}))
		p := startServe(t, binary, legacy, "cache: {obey_origin: "+test.obey+"}")
		for _, method := range []string{http.MethodHead, http.MethodGet} {
			res := p.readAs(method, "/events/12")
			if got := res.Header.Get("Cache-Control"); !strings.HasPrefix(got, test.want) {
				t.Errorf("obey_origin %s, %s: %s got %q", test.obey, test.says, method, got)
			}
		}
		if got := calls.Load(); got != test.calls {
			t.Errorf("obey_origin %s, %s: %d calls, want %d", test.obey, test.says, got, test.calls)
		}
	}
}
