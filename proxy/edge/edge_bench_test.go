package edge_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// BenchmarkEdge is a hit with the work of the edge, and a refusal.
func BenchmarkEdge(b *testing.B) {
	plenty := edge.Quota{Requests: 1_000_000, Window: time.Second}
	few := edge.Quota{Requests: 1, Window: 24 * time.Hour}
	proxies := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	for _, test := range []struct {
		name   string
		edge   edge.Options
		origin string
		status int
	}{
		{"off", edge.Options{}, "", http.StatusOK},
		{"any origin, none sent", edge.Options{CORS: edge.CORS{Origins: []string{"*"}}}, "", http.StatusOK},
		{"any origin, sent", edge.Options{CORS: edge.CORS{Origins: []string{"*"}}}, "https://www.example.org", http.StatusOK},
		{"limit", edge.Options{Reads: plenty}, "", http.StatusOK},
		{"limit behind a proxy", edge.Options{Reads: plenty, Trust: edge.Trust{Proxies: proxies}}, "", http.StatusOK},
		{"refused", edge.Options{Reads: few}, "", http.StatusTooManyRequests},
	} {
		b.Run(test.name, func(b *testing.B) {
			f := facadetest.NewBenchFacadeWith(b, func(o *proxy.Options) { o.Edge = test.edge })
			req := httptest.NewRequest(http.MethodGet, facadetest.BenchSingle, nil)
			req.Header.Set("X-Forwarded-For", "203.0.113.9")
			if test.origin != "" {
				req.Header.Set("Origin", test.origin)
			}
			f.ServeHTTP(httptest.NewRecorder(), req)
			facadetest.Repeat(b, f, req, test.status)
		})
	}
}
