//go:build !race

package fronts_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestRollingRestart restarts two instances behind HAProxy with the shipped file, one after
// the other, while clients read and write. No request fails.
func TestRollingRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	_, site := newHostedSite(t)
	f := startFront(t, fronts[len(fronts)-1], site)
	const drain = "CALFACADE_DRAIN_DELAY=1500ms" // longer than the interval of the health checks
	running := []processtest.Serving{f.facade(0, drain), f.facade(1, drain)}
	for _, s := range running {
		f.awaitTraffic(s)
	}
	stop := f.visit()
	for i, s := range running {
		if status := s.Stop(); status != processtest.StatusOK {
			t.Errorf("exit status %d", status)
		}
		f.awaitTraffic(f.facade(i, drain))
	}
	t.Logf("%d requests", stop())
}

// visit reads and writes until stop, which returns the number of requests. No request may fail.
func (f *siteFront) visit() (stop func() int64) {
	ctx, cancel := context.WithCancel(f.Context())
	var clients sync.WaitGroup
	var answered atomic.Int64
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		c := f.client(visitor)
		clients.Go(func() {
			ticker := time.NewTicker(10 * time.Millisecond)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
				f.attempt(c, method)
				answered.Add(1)
			}
		})
	}
	return func() int64 {
		cancel()
		clients.Wait()
		return answered.Load()
	}
}

// attempt sends a request that calfacade must answer, from any goroutine.
func (f *siteFront) attempt(c http.RoundTripper, method string) {
	r, err := http.NewRequestWithContext(f.Context(), method, "https://"+siteHost+"/wp-json/calendar/events/v1/events",
		strings.NewReader(""))
	if err != nil {
		f.Error(err)
		return
	}
	res, err := c.RoundTrip(r)
	if err != nil {
		f.Errorf("%s: %v", method, err)
		return
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	if res.StatusCode >= http.StatusInternalServerError || res.Header.Get("X-Wordpress") != "" {
		f.Errorf("%s: %d %v", method, res.StatusCode, res.Header)
	}
}

// requestsServed are the requests that an instance counted.
var requestsServed = regexp.MustCompile(`(?m)^calfacade_requests_total\{.*\} [1-9]`)

// awaitTraffic waits until HAProxy sends requests to an instance.
func (f *siteFront) awaitTraffic(s processtest.Serving) {
	f.Helper()
	c := f.client(visitor)
	s.Eventually("HAProxy uses it", func() bool {
		f.ask(c, http.MethodGet, "/wp-json/calendar/events/v1", "")
		return requestsServed.MatchString(s.Metrics())
	})
}
