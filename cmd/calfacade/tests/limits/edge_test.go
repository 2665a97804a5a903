//go:build !race

package limits_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestSharedLimit lets two instances count in one Redis, and kills it: each instance
// then counts its own requests.
func TestSharedLimit(t *testing.T) {
	binary := processtest.Build(t)
	redis := processtest.NewRedisServer(t)
	legacy := processtest.Serve(t, processtest.Text(proxytest.Marked(`{"id":12}`)))
	cfg := fmt.Sprintf("rate_limit: {reads: 4/24h}\ncache: {redis: '%s', redis_timeout: 5s}", redis.URL())
	copies := []processtest.Serving{processtest.StartServe(t, binary, legacy, cfg), processtest.StartServe(t, binary, legacy, cfg)}
	ask := func(i int) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, copies[i].Base+"/events/12", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, body := processtest.Send(t, r)
		processtest.CheckLeaks(t, res.Header, body, legacy)
		return res
	}
	for n, want := range []string{"200 r=3", "200 r=2", "200 r=1", "200 r=0", "429 r=0", "429 r=0"} {
		res := ask(n % 2)
		remaining, _, _ := strings.Cut(strings.TrimPrefix(res.Header.Get("RateLimit"), `"reads";`), ";")
		if got := fmt.Sprint(res.StatusCode, " ", remaining); got != want {
			t.Errorf("request %d: %s, want %s", n+1, got, want)
		}
	}
	redis.Kill()
	// Each got three requests. This instance allowed the third, and Redis
	// did not.
	for n, want := range []int{200, 200, 429, 429} {
		if got := ask(n % 2).StatusCode; got != want {
			t.Errorf("without Redis, request %d: %d, want %d", n+1, got, want)
		}
	}
}

// TestMaxConnections: a connection beyond the limit waits until another closes.
func TestMaxConnections(t *testing.T) {
	binary := processtest.Build(t)
	p := processtest.StartServe(t, binary, processtest.Serve(t, processtest.Text(`{}`)), "limits: {max_connections: 1}")
	address := strings.TrimPrefix(strings.TrimSuffix(p.Base, "/wp-json/calendar/events/v1"), "http://")
	dial := func() net.Conn {
		t.Helper()
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := fmt.Fprint(c, "GET /wp-json/calendar/events/v1/nope HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := dial()
	b := make([]byte, 1)
	if _, err := first.Read(b); err != nil {
		t.Fatal(err)
	}
	second := dial()
	if err := second.SetReadDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Read(b); err == nil {
		t.Error("the second was answered beside the first")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.SetReadDeadline(time.Now().Add(processtest.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Read(b); err != nil {
		t.Errorf("the second was not answered after the first left: %v", err)
	}
}
