//go:build !race

package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// watcher records what a page must not do.
type watcher struct {
	allowed  []string // prefixes of the URLs that a page may request
	mu       sync.Mutex
	requests int
	wrong    []string
}

func (w *watcher) observe(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.wrong = append(w.wrong, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			w.wrong = append(w.wrong, fmt.Sprintf("console: %s %s%s", e.Type, e.Args[0].Value, e.Args[0].Description))
		}
	case *log.EventEntryAdded: // violations of the policy among them
		if e.Entry.Level == "error" || e.Entry.Source == "security" {
			w.wrong = append(w.wrong, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		w.requests++
		if !w.mayLoad(e.Request.URL) {
			w.wrong = append(w.wrong, "request: "+e.Request.URL)
		}
	}
}

func (w *watcher) mayLoad(url string) bool {
	return strings.HasPrefix(url, "data:") || slices.ContainsFunc(w.allowed,
		func(prefix string) bool { return url == prefix || strings.HasPrefix(url, prefix+"/") })
}

func (w *watcher) report(t *testing.T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.wrong {
		t.Error(s)
	}
	if w.requests == 0 {
		t.Error("no request was seen")
	}
}
