//go:build !race

package serving_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestReloadKeepsLimits reloads while a call is under way that takes the only slot, and
// then while the breaker is open: neither is forgotten.
func TestReloadKeepsLimits(t *testing.T) {
	binary := processtest.Build(t)
	slow, url := newSlowSite(t)
	p := processtest.StartServe(t, binary, url, "upstream: {max_concurrent: 1}")
	held := p.Begin("/events/12")
	<-slow.arrived
	p.Edit("api.example.org", "new.example.org")
	p.HangUp()
	p.Expect(`"msg":"configuration reloaded"`)
	if got := <-p.Begin("/events/13"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("beside the call of the generation before: %+v", got)
	}
	close(slow.release)
	if got := <-held; got.Status != http.StatusOK {
		t.Errorf("the call under way: %+v", got)
	}

	var calls atomic.Int32
	broken := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	p = processtest.StartServe(t, binary, broken, "")
	<-p.Begin("/events/12")
	p.Expect(`"msg":"site is down","root":"en","reason":"`)
	p.Edit("api.example.org", "new.example.org")
	p.HangUp()
	p.Expect(`"msg":"configuration reloaded"`)
	if got := <-p.Begin("/events/12"); got.Status != http.StatusServiceUnavailable || calls.Load() != 1 {
		t.Errorf("after the reload: %+v, %d calls of the site", got, calls.Load())
	}
}

// TestReloadDrain: a process ends as its last configuration requires.
func TestReloadDrain(t *testing.T) {
	binary := processtest.Build(t)
	p := processtest.StartServe(t, binary, processtest.NewSite(t), "drain_delay: 0s")
	p.Edit("drain_delay: 0s", "drain_delay: 1h")
	p.HangUp()
	p.Expect(`"msg":"configuration reloaded","changed":\["drain_delay"\]`)
	p.Terminate()
	p.Expect(`"msg":"draining","after":"1h0m0s"`)
	p.Terminate() // a second signal ends it at once
	p.ExitStatus()
}
