//go:build !race

package limits_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestMemory has one client make memory grow as it can, by reads alone. The process stays within
// half as much again as cache.memory, and 64 MiB: that is the limit of the runtime, which is
// raised only if reachable objects need more. When resident memory falls below it depends on
// how soon the collector and the scavenger get a processor, so that is waited for.
func TestMemory(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	const memory, maximum = 32 << 20, 32<<20*3/2 + 64<<20
	p := processtest.StartServe(t, binary, processtest.Serve(t, http.HandlerFunc(hugeSite)),
		"log: {requests: none}\nadmin: {token: "+processtest.TestToken+"}\ncache: {memory: 32MiB, ttl: {events: 1h, errors: 1m}}")
	for _, attack := range []struct {
		name string
		make func()
	}{
		{"spellings", func() { askSpellings(p, 2500) }},
		{"negative", func() { askEach(p, "/venues/%d", 50, http.StatusNotFound) }},
		{"answers", func() { askEach(p, "/organizers/%d", 175, http.StatusOK) }},
		{"all again", func() {
			askSpellings(p, 500)
			askEach(p, "/venues/%d", 25, http.StatusNotFound)
		}},
	} {
		attack.make()
		collect(p)
		entries := metric(p, "cache_bytes")
		targets := metric(p, "targets_bytes")
		p.Eventually(attack.name+": the limit of the runtime is that of the document",
			func() bool { return exposed(p, "go_gc_gomemlimit_bytes") == maximum })
		p.Eventually(attack.name+": resident memory is within the limit", func() bool { return resident(p) <= maximum })
		t.Logf("%s: %d MiB, of which answers take %d KiB and targets %d KiB", attack.name, resident(p)>>20, entries>>10, targets>>10)
		if entries+targets > memory || targets == 0 || entries == 0 {
			t.Errorf("%s: answers take %d bytes and targets %d, want some and no more than %d", attack.name, entries, targets, memory)
		}
	}
	if limit, targets := metric(p, "cache_limit_bytes"), metric(p, "targets_bytes"); limit+memory/16 != memory || targets > memory/16 {
		t.Errorf("answers may take %d bytes, and targets take %d, of %d", limit, targets, memory)
	}
}

// hugeSite has one event, organizers of 200 KB, and answers 404 with 2 MB for each venue.
func hugeSite(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	switch {
	case strings.Contains(r.URL.Path, "/v1/events/"):
		anItem(strings.Repeat("Harbour Lights ", 100))(w, r)
	case strings.Contains(r.URL.Path, "/v1/organizers/"):
		anItem(strings.Repeat("Tide ", 40_000))(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"code":"event-not-found","message":"%s","data":{"status":404}}`, strings.Repeat("not here ", 2<<20/9))
	}
}

// resident returns the part of the machine's memory that the process has, in bytes.
func resident(s processtest.Serving) (bytes int64) {
	s.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	if err != nil {
		s.Skip(err) // not Linux
	}
	_, text, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(text, &bytes); err != nil {
		s.Fatal(err)
	}
	return bytes << 10
}

// collect runs the garbage collector of the process.
func collect(s processtest.Serving) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.Admin+"/debug/pprof/heap?gc=1", nil)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+processtest.TestToken)
	if got := <-processtest.Begun(r); got.Err != nil || got.Status != http.StatusOK {
		s.Fatalf("%d %v", got.Status, got.Err)
	}
}

// metric is the value of one of calfacade that has no labels.
func metric(s processtest.Serving, name string) int64 {
	s.Helper()
	return exposed(s, "calfacade_"+name)
}

// exposed is the value of a metric that has no labels.
func exposed(s processtest.Serving, name string) int64 {
	s.Helper()
	_, text, _ := strings.Cut(s.Metrics(), "\n"+name+" ")
	var value float64
	if _, err := fmt.Sscan(text, &value); err != nil {
		s.Fatalf("%s: %v", name, err)
	}
	return int64(value)
}

// askSpellings requests one event by n targets, first as it is, then from the lane in several
// forms.
func askSpellings(s processtest.Serving, n int) {
	s.Helper()
	const gzip = "Accept-Encoding: gzip\r\n"
	first := connect(s)
	tag := first.ask("/events/12", "").Header.Get("Etag")
	if coding := first.ask("/events/12", gzip).Header.Get("Content-Encoding"); coding == "" {
		s.Error("the response is not compressed")
	}
	forms := []string{"", gzip, "If-None-Match: " + tag + "\r\n", "Origin: https://a.example\r\n"}
	const together = 20
	for i := 0; i < n; i += together {
		var targets []string
		for j := range together {
			targets = append(targets, fmt.Sprintf("/events/12?x=%0900d", i+j))
		}
		first.askAll(targets, forms[:1])
		lane := connect(s)
		lane.askAll(targets, forms)
		_ = lane.Close() // the test closes it too
	}
}

// askEach requests n items, one after another.
func askEach(s processtest.Serving, path string, n, status int) {
	s.Helper()
	c := connect(s)
	for i := range n {
		if res := c.ask(fmt.Sprintf(path, 1000+i), ""); res.StatusCode != status {
			s.Fatal(res.Status)
		}
	}
}

// client is a connection on which requests do not wait for answers.
type client struct {
	*testing.T
	net.Conn
	answers *bufio.Reader
	path    string
}

func connect(s processtest.Serving) *client {
	s.Helper()
	base, err := url.Parse(s.Base)
	if err != nil {
		s.Fatal(err)
	}
	c := processtest.Dial(s.T, base.Host)
	return &client{T: s.T, Conn: c, answers: bufio.NewReader(c), path: base.Path}
}

func (c *client) ask(target, fields string) (res *http.Response) {
	c.Helper()
	for _, res = range c.askAll([]string{target}, []string{fields}) {
	}
	return res
}

func (c *client) askAll(targets, forms []string) (responses []*http.Response) {
	c.Helper()
	for _, form := range forms {
		if err := c.SetDeadline(time.Now().Add(processtest.Patience)); err != nil {
			c.Fatal(err)
		}
		var b strings.Builder
		for _, t := range targets {
			fmt.Fprintf(&b, "GET %s%s HTTP/1.1\r\nHost: x\r\n%s\r\n", c.path, t, form)
		}
		if _, err := io.WriteString(c.Conn, b.String()); err != nil {
			c.Fatal(err)
		}
		for range targets {
			res, err := http.ReadResponse(c.answers, nil)
			if err != nil {
				c.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil {
				c.Fatal(err)
			}
			responses = append(responses, res)
		}
	}
	return responses
}
