package main

import (
	"net/http"
	"strings"
	"sync"
)

// target is a URL of a test, which stands for one item of the calendar.
type target struct {
	id  int    // of the item
	url string // path and query at the suite's server
}

// listed reports whether the target is read as a list: of the parameters of a test, the
// contract knows only the text of a search.
func (t target) listed() bool { return strings.Contains(t.url, "?") }

// latest is the last request of the client for a target.
type latest struct {
	method string
	notes  http.Header
}

// bookkeeping are the fields by which the suite's server recognizes a request. The facade
// forwards no field that it does not know, so the shims hand them over. No test is about them.
var bookkeeping = []string{"Req-Num", "Test-Id", "Test-Name"}

// targets are the URLs of all tests. Both shims share them.
type targets struct {
	mu     sync.Mutex
	ids    map[string]int
	known  []target
	latest []latest
}

// note remembers a request of the client, and returns its target.
func (t *targets) note(r *http.Request) target {
	seen := latest{r.Method, http.Header{}}
	for _, name := range bookkeeping {
		if v := r.Header[name]; v != nil {
			seen.notes[name] = v
		}
	}
	url := r.URL.RequestURI()
	t.mu.Lock()
	defer t.mu.Unlock()
	id, ok := t.ids[url]
	if !ok {
		if t.ids == nil {
			t.ids = map[string]int{}
		}
		id = len(t.known) + 1
		t.ids[url] = id
		t.known, t.latest = append(t.known, target{id, url}), append(t.latest, latest{})
	}
	t.latest[id-1] = seen
	return t.known[id-1]
}

// byID returns the target of an item, and the last request for it.
func (t *targets) byID(id int) (target, latest, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id < 1 || id > len(t.known) {
		return target{}, latest{}, false
	}
	return t.known[id-1], t.latest[id-1], true
}

// byURL does the same for a URL.
func (t *targets) byURL(url string) (target, latest, bool) {
	t.mu.Lock()
	id := t.ids[url]
	t.mu.Unlock()
	return t.byID(id)
}
