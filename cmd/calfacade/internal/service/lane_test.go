package service

import (
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestFrontHasALane: accepted connections pass the lane first, and the drain ends it.
func TestFrontHasALane(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(http.NotFoundHandler(), config.Default(), zap.NewNop())
	f := newFront(server, []net.Listener{l})
	var calls atomic.Int32
	f.lane = proxy.NewLane(server, func() (*proxy.Facade, func()) {
		calls.Add(1)
		return nil, nil
	})
	served := make(chan error, 1)
	go func() { served <- f.serve(l) }()
	res, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if n := calls.Load(); n != 1 || res.StatusCode != http.StatusNotFound {
		t.Errorf("the lane acquired a facade %d times; status %d", n, res.StatusCode)
	}
	if err := f.shutdown(&http.Server{}, time.Minute); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestLaneEndsWithTheDrain: while the process drains, the lane serves no requests.
func TestLaneEndsWithTheDrain(t *testing.T) {
	s, err := New(processtest.MinimalConfig(t), Options{Log: zap.NewNop(), Metrics: telemetry.NewMetrics("")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	f, done := s.acquireFacade()
	if requests := &s.now.Load().requests; f == nil || requests.TryLock() {
		t.Fatal("there is no facade, or it may end under way")
	}
	done()
	if !s.now.Load().requests.TryLock() {
		t.Fatal("it is not released")
	}
	s.now.Load().requests.Unlock()
	s.Drain()
	if f, _ := s.acquireFacade(); f != nil {
		t.Error("there is still a facade")
	}
	for _, want := range []bool{true, false} {
		if l := s.lane(want, &http.Server{}); (l != nil) != want {
			t.Errorf("lane: %v makes %v", want, l)
		}
	}
}
