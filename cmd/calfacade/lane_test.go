package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// testLane reloads and ends a process with a lane; the connections stay.
func testLane(t *testing.T, binary string) {
	p := startServe(t, binary, newSite(t), "cache: {ttl: {events: 1h}}")
	base, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	p.get("/events/12") // from now on it is a hit
	var conns []net.Conn
	var readers []*bufio.Reader
	ask := func(i int) (body string) {
		t.Helper()
		_, _ = fmt.Fprintf(conns[i], "GET %s/events/12 HTTP/1.1\r\nHost: x\r\n\r\n", base.Path)
		res, err := http.ReadResponse(readers[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Cache-Status"), "calfacade; ") {
			t.Errorf("%s %v: %v", res.Status, res.Header, err)
		}
		return string(reply)
	}
	for i := range 10 {
		c := dial(t, base.Host)
		conns = append(conns, c)
		readers = append(readers, bufio.NewReader(c))
		if body := ask(i) + ask(i); strings.Count(body, "https://api.example.org/") != 2 {
			t.Errorf("got %s", body)
		}
	}
	p.eventually("the metric counts all but the first, by which the target is known", func() bool {
		return strings.Contains(p.metrics(), "\ncalfacade_lane_requests_total 19\n")
	})
	p.edit("api.example.org", "new.example.org")
	p.hangUp()
	p.expect(`"msg":"configuration reloaded"`)
	for i := range 5 {
		if body := ask(i) + ask(i); strings.Count(body, "https://new.example.org/") != 2 {
			t.Errorf("got %s", body)
		}
	}
	if status := p.stop(); status != exitOK {
		t.Errorf("exit status %d, want %d", status, exitOK)
	}
	for i, r := range readers {
		if excess, err := io.ReadAll(r); err != nil || len(excess) > 0 {
			t.Errorf("connection %d: %q, %v", i, excess, err)
		}
	}
}

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
	s, err := newService(minimalConfig(t), serviceOptions{log: zap.NewNop(), metrics: telemetry.NewMetrics("")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.close(t.Context()) }()
	f, done := s.acquireFacade()
	if requests := &s.now.Load().requests; f == nil || requests.TryLock() {
		t.Fatal("there is no facade, or it may end under way")
	}
	done()
	if !s.now.Load().requests.TryLock() {
		t.Fatal("it is not released")
	}
	s.now.Load().requests.Unlock()
	s.drain()
	if f, _ := s.acquireFacade(); f != nil {
		t.Error("there is still a facade")
	}
	for _, want := range []bool{true, false} {
		if l := s.lane(want, &http.Server{}); (l != nil) != want {
			t.Errorf("lane: %v makes %v", want, l)
		}
	}
}
