package proxy_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// BenchmarkObserved is the cheapest hit, as it is and with what an operator may
// switch on.
func BenchmarkObserved(b *testing.B) {
	for _, with := range []struct {
		name   string
		change func(*proxy.Options)
	}{
		{"nothing", func(*proxy.Options) {}},
		{"metrics", func(o *proxy.Options) { o.Metrics = telemetry.NewMetrics("") }},
	} {
		f := newBenchFacadeWith(b, with.change)
		w := &sink{header: http.Header{}}
		in := httptest.NewRequest(http.MethodGet, benchSingle, nil)
		w.serve(f, in)
		in.Header["If-None-Match"] = []string{"*"}
		b.Run(with.name, func(b *testing.B) { repeat(b, f, in, http.StatusNotModified) })
	}
}
