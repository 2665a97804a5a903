//go:build !race

package serving_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestLane reloads and ends a process with a lane; the connections stay.
func TestLane(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	p := processtest.StartServe(t, binary, processtest.NewSite(t), "cache: {ttl: {events: 1h}}")
	base, err := url.Parse(p.Base)
	if err != nil {
		t.Fatal(err)
	}
	p.Get("/events/12") // from now on it is a hit
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
		c := processtest.Dial(t, base.Host)
		conns = append(conns, c)
		readers = append(readers, bufio.NewReader(c))
		if body := ask(i) + ask(i); strings.Count(body, "https://api.example.org/") != 2 {
			t.Errorf("got %s", body)
		}
	}
	p.Eventually("the metric counts all but the first, by which the target is known", func() bool {
		return strings.Contains(p.Metrics(), "\ncalfacade_lane_requests_total 19\n")
	})
	p.Edit("api.example.org", "new.example.org")
	p.HangUp()
	p.Expect(`"msg":"configuration reloaded"`)
	for i := range 5 {
		if body := ask(i) + ask(i); strings.Count(body, "https://new.example.org/") != 2 {
			t.Errorf("got %s", body)
		}
	}
	if status := p.Stop(); status != processtest.StatusOK {
		t.Errorf("exit status %d, want %d", status, processtest.StatusOK)
	}
	for i, r := range readers {
		if excess, err := io.ReadAll(r); err != nil || len(excess) > 0 {
			t.Errorf("connection %d: %q, %v", i, excess, err)
		}
	}
}
