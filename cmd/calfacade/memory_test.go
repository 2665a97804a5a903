package main

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
)

// What the process may have of the machine's memory: half as much again as cache.memory,
// for the collector, and what it takes without any answers.
const (
	smallCache = 32 << 20
	mostMemory = smallCache*3/2 + 64<<20
)

// testMemory has one client make grow what it can, by reads alone.
func testMemory(t *testing.T, binary string) {
	p := startServe(t, binary, serveTest(t, http.HandlerFunc(hugeSite)), "log: {requests: none}\nadmin: {pprof: true}\ncache: {memory: 32MiB, negative_ttl: 1m, ttl: {events: 1h}}")
	t.Logf("idle: %d MB", p.resident()>>20)
	p.askSpellings(10_000)
	t.Logf("after 10,000 spellings: %d MB", p.resident()>>20)
	p.heap("spellings")
	p.askMissing(250)
	t.Logf("after 250 negative answers of 2 MB: %d MB", p.resident()>>20)
	p.heap("negative")
}

func (s serving) heap(name string) {
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.admin+"/debug/pprof/heap", nil)
	if err != nil {
		s.Fatal(err)
	}
	_, b := send(s.T, r)
	os.WriteFile("/work/notes/mem16."+name+".pprof", b, 0o600)
}

// hugeSite has one event, and 2 MB to say of each that it has not.
func hugeSite(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "/events/12") {
		_, _ = fmt.Fprintf(w, `{"id":12,"title":"%s"}`, strings.Repeat("Harbour Lights ", 200))
		return
	}
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprintf(w, `{"code":"event-not-found","message":"%s","data":{"status":404}}`, strings.Repeat("not here ", 2<<20/9))
}

// resident is what the process has of the machine's memory, in bytes.
func (s serving) resident() (bytes int64) {
	s.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(rest, &bytes); err != nil {
		s.Fatal(err)
	}
	return bytes << 10
}

// askSpellings asks for one event in n ways, each in all forms.
func (s serving) askSpellings(n int) {
	s.Helper()
	first, lane := s.connect(), s.connect()
	tag := first.ask("/events/12", "").Header.Get("Etag")
	first.ask("/events/12", "Accept-Encoding: gzip\r\n")
	forms := []string{""}
	for _, field := range []string{"Accept-Encoding: gzip\r\n", "If-None-Match: " + tag + "\r\n", "Origin: https://a.example\r\n"} {
		for _, form := range forms {
			forms = append(forms, form+field)
		}
	}
	const together = 20
	for i := 0; i < n; i += together {
		var targets []string
		for j := range together {
			targets = append(targets, fmt.Sprintf("/events/12?x=%0900d", i+j))
		}
		first.askAll(targets, forms[:1])
		lane.askAll(targets, forms)
	}
}

// askMissing asks for n events that the site has not.
func (s serving) askMissing(n int) {
	s.Helper()
	c := s.connect()
	for i := range n {
		if res := c.ask(fmt.Sprintf("/events/%d", 1000+i), ""); res.StatusCode != http.StatusNotFound {
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

func (s serving) connect() *client {
	s.Helper()
	base, err := url.Parse(s.base)
	if err != nil {
		s.Fatal(err)
	}
	c := dial(s.T, base.Host)
	return &client{s.T, c, bufio.NewReader(c), base.Path}
}

func (c *client) ask(target, fields string) (res *http.Response) {
	c.Helper()
	for _, res = range c.askAll([]string{target}, []string{fields}) {
	}
	return res
}

func (c *client) askAll(targets, forms []string) (all []*http.Response) {
	c.Helper()
	for _, form := range forms {
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
			all = append(all, res)
		}
	}
	return all
}
