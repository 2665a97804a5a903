package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestReloadCandidate finishes a write that began before a reload brought another
// candidate and had it answer: the one before, which answers nothing, must not get it.
func TestReloadCandidate(t *testing.T) {
	binary := build(t)
	for name, edit := range map[string][2]string{
		"another name": {"candidate: old", "candidate: next"},
		"another place": {"{name: old, dialect: tribe/events/v1, upstreams: {en: \"OLD",
			"{name: old, dialect: tribe/events/v1, upstreams: {en: \"NEXT"},
	} {
		t.Run(name, func(t *testing.T) {
			legacy := newCountedSite(t)
			old := newCountedSite(t)
			next := newCountedSite(t)
			urls := strings.NewReplacer("OLD", old.url, "NEXT", next.url)
			p := startServe(t, binary, legacy.url, urls.Replace(`backends:
  - {name: old, dialect: tribe/events/v1, upstreams: {en: "OLD/wp-json"}}
  - {name: next, dialect: tribe/events/v1, upstreams: {en: "NEXT/wp-json"}}
staging:
  candidate: old
  rules: []
`))
			const body = `{"venue":"Hall"}`
			write := beginBody(p, "POST", "/venues", len(body))
			p.edit("rules: []", "rules: [{state: new}]")
			p.edit(urls.Replace(edit[0]), urls.Replace(edit[1]))
			p.hangUp()
			p.expect(`"msg":"configuration reloaded"`)
			if status := write.end(body); status != http.StatusCreated {
				t.Errorf("the write was answered with %d", status)
			}
			if old, current := old.writes.Load(), legacy.writes.Load(); old != 0 || current != 1 {
				t.Errorf("%d writes at the candidate that answers nothing, %d at the legacy", old, current)
			}
			if status := beginBody(p, "POST", "/venues", len(body)).end(body); status != http.StatusCreated || next.writes.Load() != 1 {
				t.Errorf("a write after the reload: %d, %d at the new candidate", status, next.writes.Load())
			}
		})
	}
}

// countedSite counts writes, and answers each with a venue.
type countedSite struct {
	url    string
	writes atomic.Int32
}

func newCountedSite(t *testing.T) *countedSite {
	s := new(countedSite)
	s.url = processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodGet {
			s.writes.Add(1)
			w.WriteHeader(http.StatusCreated)
		}
		proxytest.WriteItem(w, `{"id":12,"venue":"Hall"}`)
	}))
	return s
}

// halfSent is a request without its body yet, which a handler waits for.
type halfSent struct {
	*testing.T
	conn   net.Conn
	reader *bufio.Reader
}

// beginBody sends the header of a write, and returns once its handler reads the body.
func beginBody(s serving, method, path string, length int) halfSent {
	s.Helper()
	host, prefix, _ := strings.Cut(strings.TrimPrefix(s.base, "http://"), "/")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "%s /%s%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: "+
		"100-continue\r\n\r\n", method, prefix, path, length)
	if err != nil {
		s.Fatal(err)
	}
	h := halfSent{T: s.T, conn: conn, reader: bufio.NewReader(conn)}
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} {
		if line, err := h.reader.ReadString('\n'); err != nil || line != want {
			s.Fatalf("got %q %v, want %q", line, err, want)
		}
	}
	return h
}

// end sends the body, and returns the status of the answer.
func (h halfSent) end(body string) int {
	h.Helper()
	if _, err := fmt.Fprint(h.conn, body); err != nil {
		h.Fatal(err)
	}
	res, err := http.ReadResponse(h.reader, nil)
	if err != nil {
		h.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// TestReloadKeepsLimits reloads while a call is under way that takes the only slot, and
// then while the breaker is open: neither is forgotten.
func TestReloadKeepsLimits(t *testing.T) {
	binary := build(t)
	slow, url := newSlowSite(t)
	p := startServe(t, binary, url, "upstream: {max_concurrent: 1}")
	held := p.begin("/events/12")
	<-slow.arrived
	p.edit("api.example.org", "new.example.org")
	p.hangUp()
	p.expect(`"msg":"configuration reloaded"`)
	if got := <-p.begin("/events/13"); got.status != http.StatusServiceUnavailable {
		t.Errorf("beside the call of the generation before: %+v", got)
	}
	close(slow.release)
	if got := <-held; got.status != http.StatusOK {
		t.Errorf("the call under way: %+v", got)
	}

	var calls atomic.Int32
	broken := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	p = startServe(t, binary, broken, "")
	<-p.begin("/events/12")
	p.expect(`"msg":"site is down","root":"en","reason":"`)
	p.edit("api.example.org", "new.example.org")
	p.hangUp()
	p.expect(`"msg":"configuration reloaded"`)
	if got := <-p.begin("/events/12"); got.status != http.StatusServiceUnavailable || calls.Load() != 1 {
		t.Errorf("after the reload: %+v, %d calls of the site", got, calls.Load())
	}
}

// TestReloadDrain: a process ends as its last configuration requires.
func TestReloadDrain(t *testing.T) {
	binary := build(t)
	p := startServe(t, binary, newSite(t), "drain_delay: 0s")
	p.edit("drain_delay: 0s", "drain_delay: 1h")
	p.hangUp()
	p.expect(`"msg":"configuration reloaded","changed":\["drain_delay"\]`)
	p.terminate()
	p.expect(`"msg":"draining","after":"1h0m0s"`)
	p.terminate() // a second signal ends it at once
	p.exitStatus()
}
