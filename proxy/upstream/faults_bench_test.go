package upstream_test

import (
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// BenchmarkFault is how long a read takes that meets a fault, without a cache:
// the figures of docs/faults.md. Faults that hang take as long as the timeouts, which
// are short here.
func BenchmarkFault(b *testing.B) {
	cases := append([]fault{{name: "none", does: fine, result: "200, sent 1"}}, faultsOf(b)...)
	for _, f := range cases {
		b.Run(f.name, func(b *testing.B) {
			site := facadetest.NewRawSite(b, f.does)
			o := f.options(site.URL)
			o.Upstream.MaxRetryAfter = 0
			var d *facadetest.Direct
			for n := 0; b.Loop(); n++ {
				if n%10 == 0 { // its budget is ten retries
					b.StopTimer()
					d = facadetest.NewDirect(b, o)
					b.StartTimer()
				}
				d.Send("GET /events/5")
			}
		})
	}
}

// BenchmarkRefused measures the refusal of a call to a site with an open breaker, and
// serving a stale response instead.
func BenchmarkRefused(b *testing.B) {
	for name, stale := range map[string]bool{"503": false, "stale": true} {
		b.Run("open breaker/"+name, func(b *testing.B) {
			site := facadetest.NewRawSite(b, fine)
			o := facadetest.FaultOptions(site.URL)
			o.Upstream.Breaker = upstream.BreakerOptions{Failures: 1, Open: time.Hour}
			d, clock := site.StaleFacade(o)
			d.Send("GET /events/5")
			clock.Pass(10 * time.Minute)
			site.Does(facadetest.Says("", false))
			d.Send("GET /events/6")
			line := "GET /events/6"
			want := downAnHour
			if stale {
				line = "GET /events/5"
				want = "200 stale-if-error"
			}
			for b.Loop() {
				if got := d.Send(line); got != want {
					b.Fatal(got)
				}
			}
		})
	}
}
