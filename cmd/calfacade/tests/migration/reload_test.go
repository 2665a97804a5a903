//go:build !race

package migration_test

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
	binary := processtest.Build(t)
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
			p := processtest.StartServe(t, binary, legacy.url, urls.Replace(`backends:
  - {name: old, dialect: tribe/events/v1, upstreams: {en: "OLD/wp-json"}}
  - {name: next, dialect: tribe/events/v1, upstreams: {en: "NEXT/wp-json"}}
staging:
  candidate: old
  rules: []
`))
			const body = `{"venue":"Hall"}`
			write := beginBody(p, "POST", "/venues", len(body))
			p.Edit("rules: []", "rules: [{state: new}]")
			p.Edit(urls.Replace(edit[0]), urls.Replace(edit[1]))
			p.HangUp()
			p.Expect(`"msg":"configuration reloaded"`)
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
func beginBody(s processtest.Serving, method, path string, length int) halfSent {
	s.Helper()
	host, prefix, _ := strings.Cut(strings.TrimPrefix(s.Base, "http://"), "/")
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
