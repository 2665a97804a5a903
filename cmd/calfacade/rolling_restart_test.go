package main

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
)

// TestRollingRestart restarts two instances behind HAProxy with the shipped file, one after
// the other, while clients read and write. No request fails.
func TestRollingRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	_, site := newHostedSite(t)
	haproxy := fronts[len(fronts)-1]
	f := startFront(t, haproxy, site)
	const drain = "CALFACADE_DRAIN_DELAY=1500ms" // longer than the interval of the health checks
	running := []serving{f.facade(0, drain), f.facade(1, drain)}
	for _, s := range running {
		f.awaitTraffic(s)
	}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	defer clients.Wait()
	defer stop()
	var answered atomic.Int64
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		c := f.client(visitor)
		clients.Go(func() {
			for every := time.NewTicker(10 * time.Millisecond); ; {
				select {
				case <-ctx.Done():
					every.Stop()
					return
				case <-every.C:
				}
				r, err := http.NewRequestWithContext(t.Context(), method, "https://"+siteHost+"/wp-json/calendar/events/v1/events", strings.NewReader(""))
				if err != nil {
					t.Error(err)
					return
				}
				res, err := c.RoundTrip(r)
				if err != nil {
					t.Errorf("%s: %v", method, err)
					continue
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if res.StatusCode >= http.StatusInternalServerError || res.Header.Get("X-Wordpress") != "" {
					t.Errorf("%s: %d %v", method, res.StatusCode, res.Header)
				}
				answered.Add(1)
			}
		})
	}
	for i, s := range running {
		if status := s.stop(); status != exitOK {
			t.Errorf("exit status %d", status)
		}
		f.awaitTraffic(f.facade(i, drain))
	}
	stop()
	clients.Wait()
	t.Logf("%d requests", answered.Load())
}

// requestsServed are the requests that an instance counted.
var requestsServed = regexp.MustCompile(`(?m)^calfacade_requests_total\{.*\} [1-9]`)

// awaitTraffic waits until HAProxy sends requests to an instance.
func (f *siteFront) awaitTraffic(s serving) {
	f.Helper()
	c := f.client(visitor)
	s.eventually("HAProxy uses it", func() bool {
		res, _ := f.ask(c, http.MethodGet, "/wp-json/calendar/events/v1", "")
		_ = res
		return requestsServed.MatchString(s.metrics())
	})
}
