//go:build !race

package serving_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// headSite counts calls by method and path.
type headSite struct {
	mu    sync.Mutex
	calls map[string]int
}

// ServeHTTP implements [http.Handler]. It answers HEAD as sites do, which know less then.
func (s *headSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, path, _ := strings.Cut(r.URL.Path, "/tribe/events/v1")
	if path != "" { // else the call is for the time zone
		s.mu.Lock()
		s.calls[r.Method+" "+path]++
		s.mu.Unlock()
	}
	kind := "application/json; charset=UTF-8"
	status := http.StatusOK
	body := `{"id":` + strings.TrimPrefix(path,
		"/events/") + `,"title":"` + strings.Repeat("long ", 500) + `"}`
	switch path {
	case "/events/13":
		status = http.StatusNotFound
		body = `{"code":"rest-event-not-found","message":"none","data":{"status":404}}`
	case "/events/14", "/events/15":
		kind = "text/html; charset=UTF-8"
		body = "<!DOCTYPE html><title>Page</title>"
		if path == "/events/14" {
			status = http.StatusForbidden
		}
	case "/events/16":
		body = `{"id":16,"tit`
	case "/events/17":
		w.Header().Set("Cache-Control", "private")
	case "/events":
		w.Header().Set("X-TEC-Total", "1")
		w.Header().Set("X-TEC-TotalPages", "1")
		body = `{"events":[],"total":1,"total_pages":1}`
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, proxytest.Marked(body))
}

func (s *headSite) takeCalls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = map[string]int{}
	return calls
}

// headCases are reads, and how often the site is called for two of the same: those that may
// not be kept are made for each.
var headCases = []struct {
	path   string
	status int
	calls  int
	header []string
}{
	{"/events/12", 200, 1, nil},
	{"/events?per_page=1", 200, 1, nil},
	{"/events/13", 404, 1, nil},
	{"/events/14", 502, 2, nil},
	{"/events/15", 502, 2, nil},
	{"/events/16", 502, 2, nil},
	{"/events/17", 200, 2, nil},
	{"/events/12", 200, 2, []string{"Authorization: Basic dTpw"}},
	{"/events/12?password=p", 200, 2, nil},
	{"/nope", 404, 0, nil},
	{"/doc", 200, 0, nil},
}

// TestHead holds HEAD to be GET without a body, beside the lane and in it.
func TestHead(t *testing.T) {
	binary := processtest.Build(t)
	for _, lane := range []string{"true", "false"} {
		t.Run("lane "+lane, func(t *testing.T) {
			site := &headSite{calls: map[string]int{}}
			legacy := processtest.Serve(t, site)
			p := processtest.StartServe(t, binary, legacy, "lane: "+lane+"\nlog: {requests: none}\ncache: {ttl: {events: 1h, errors: 1h}}")
			var under sync.WaitGroup
			for range 50 {
				under.Go(func() { readAs(p, http.MethodHead, "/events/18") })
			}
			under.Wait()
			if diff := cmp.Diff(map[string]int{"GET /events/18": 1}, site.takeCalls()); diff != "" {
				t.Errorf("50 HEADs of a cold URL (-want +got):\n%s", diff)
			}
			for _, test := range headCases {
				headIsGet(p, site, legacy, test.path, test.status, test.calls, test.header)
			}
			etag := readAs(p, http.MethodGet, "/events/12").Header.Get("Etag")
			for _, header := range [][]string{
				{"Accept-Encoding: gzip"}, {"If-None-Match: " + etag}, {"Accept-Encoding: gzip", "If-None-Match: " +
					etag}, {"Accept-Encoding: br"},
			} {
				status := http.StatusOK
				if strings.Contains(fmt.Sprint(header), etag) {
					status = http.StatusNotModified
				}
				headIsGet(p, site, legacy, "/events/12", status, 0, header)
			}
			headIsGet(p, site, legacy, "/events/13", http.StatusNotFound, 0,
				[]string{"Accept: application/problem+json", "X-Request-Id: same"})
		})
	}
}

// headIsGet sends a HEAD, then the GET.
func headIsGet(s processtest.Serving, site *headSite, legacy, path string, status, calls int, header []string) {
	s.Helper()
	head := readAs(s, http.MethodHead, path, header...)
	get := readAs(s, http.MethodGet, path, header...)
	processtest.CheckLeaks(s.T, head.Header, nil, legacy)
	if head.StatusCode != status || get.StatusCode != status {
		s.Errorf("%s %s: HEAD %d, GET %d, want %d", path, header, head.StatusCode, get.StatusCode, status)
	}
	if diff := cmp.Diff(lastingOf(get.Header), lastingOf(head.Header)); diff != "" {
		s.Errorf("%s %s: header (-GET +HEAD):\n%s", path, header, diff)
	}
	want := map[string]int{}
	if calls > 0 {
		bare, _, _ := strings.Cut(path, "?")
		want["GET "+bare] = calls
	}
	if diff := cmp.Diff(want, site.takeCalls()); diff != "" {
		s.Errorf("%s %s: calls (-want +got):\n%s", path, header, diff)
	}
}

// lastingOf returns a header without the fields that differ in the next response.
func lastingOf(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"Age", "Cache-Control", "Cache-Status", "Date", "X-Request-Id"} {
		h.Del(name)
	}
	return h
}

// readAs sends a read and returns the answer.
func readAs(s processtest.Serving, method, path string, header ...string) *http.Response {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.Base+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity")
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, _ := processtest.Send(s.T, r)
	return res
}
