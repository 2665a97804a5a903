package staging_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// BenchmarkShadow measures the cost of comparing for clients: eight clients alternate between two
// facades before one site. One compares as much as it does by default. It reports
// the 99th percentile of each, and the difference in percent.
func BenchmarkShadow(b *testing.B) {
	const took = 10 * time.Millisecond // a quarter of the real site's shortest time
	site := func() string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(took)
			_, _ = w.Write([]byte(`{"id":5,"url":"","rest_url":"","title":"The same"}`))
		}))
		b.Cleanup(s.Close)
		return s.URL + "/wp-json"
	}
	legacy := site()
	candidate := site()
	facade := func(state staging.State) *proxy.Facade {
		matrix := staging.NewMatrix(time.Now, nil)
		comparer := must(compare.Default().Compile())
		successor := proxy.BackendOptions{Name: "new", Dialect: mapping.API{Dialect: mapping.Neutral},
			Upstreams: map[string]string{"en": candidate}}
		matrix.Configure(staging.Plan{Candidate: proxy.CandidateOf(successor), Cells: staging.Cells(mapping.Resources(), []string{"en"}),
			Rules: facadetest.Everywhere(state)})
		f := proxy.New(proxy.Options{
			PublicURL: facadetest.PublicURL,
			Site:      i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: legacy}},
			Upstream:  upstream.Options{MaxQueue: 64},
			Backends:  []proxy.BackendOptions{successor},
			Staging: &proxy.StagingOptions{Candidate: "new", Matrix: matrix,
				Comparer: comparer, Findings: new(compare.Findings)},
		})
		b.Cleanup(f.Close)
		return f
	}
	alone := facade(staging.Legacy)
	shadowed := facade(staging.Shadow)
	ask := func(f *proxy.Facade, n int) time.Duration {
		r := httptest.NewRequest(http.MethodGet, "/wp-json/calendar/events/v1/events/"+strconv.Itoa(n), nil)
		began := time.Now()
		f.ServeHTTP(httptest.NewRecorder(), r)
		return time.Since(began)
	}
	var mu sync.Mutex
	var plain, observed []time.Duration
	var clients sync.WaitGroup
	b.ResetTimer()
	for c := range 8 {
		clients.Go(func() {
			for n := c; n < b.N; n += 8 {
				first := ask(alone, n+1)
				second := ask(shadowed, n+1)
				mu.Lock()
				plain = append(plain, first)
				observed = append(observed, second)
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	p99 := func(durations []time.Duration) float64 {
		slices.Sort(durations)
		return durations[len(durations)*99/100].Seconds() * 1000
	}
	b.ReportMetric(p99(plain), "p99-ms-alone")
	b.ReportMetric(p99(observed), "p99-ms-shadow")
	b.ReportMetric((p99(observed)/p99(plain)-1)*100, "percent-above")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
