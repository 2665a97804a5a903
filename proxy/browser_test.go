//go:build !race

package proxy_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
)

// docsBrowser is a browser, and a facade for it.
type docsBrowser struct {
	ctx  context.Context
	url  string
	site i18n.Site
}

func startBrowser(t *testing.T) docsBrowser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs chromium: ", err)
		}
		t.Skip("no chromium here: ", err)
	}
	legacy := httptest.NewServer(sim.New(sim.Options{}))
	t.Cleanup(legacy.Close)
	// The public URL is another host: what the page calls must be where it came from.
	o := proxy.Options{PublicURL: publicURL, Docs: true, Legacy: proxy.LegacyOptions{Namespace: "tribe/events/v1", LanguageParam: "wpml_language"}}
	for i, code := range i18n.Codes {
		root := "/wp-json"
		if i > 0 {
			root = "/" + code + root
		}
		o.Site = append(o.Site, i18n.Language{Code: code, Root: root, Upstream: legacy.URL + root})
	}
	facade := httptest.NewServer(proxy.New(o))
	t.Cleanup(facade.Close)
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program)}
	if os.Getuid() == 0 { // in a container; Chromium refuses to sandbox itself there
		options = append(options, chromedp.NoSandbox)
	}
	// Only a test that fails takes that long, and Go kills one after ten.
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(options...))
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return docsBrowser{ctx: ctx, url: facade.URL, site: o.Site}
}

// docsTab is the page in a tab of its own.
type docsTab struct {
	*testing.T
	ctx context.Context
}

// open loads the page of a language, and watches it to the end of the test.
func (b docsBrowser) open(t *testing.T, code string, before ...chromedp.Action[chromedp.Void]) *docsTab {
	t.Helper()
	p := b.tab(t, b.url)
	root := ""
	for _, l := range b.site {
		if l.Code == code {
			root = l.Root
		}
	}
	p.do(before...)
	p.do(
		chromedp.Navigate(b.url+root+"/"+mapping.Namespace+proxy.DocsPath+"/"),
		chromedp.WaitVisible(chromedp.CSS(listOfEvents)),
	)
	return p
}

// tab opens an empty tab, and watches to the end of the test that what it loads
// is the host's at url.
func (b docsBrowser) tab(t *testing.T, url string) *docsTab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	w := &watcher{host: strings.TrimPrefix(url, "http://")}
	if err := chromedp.Listen(ctx, w.see); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.report(t) })
	return &docsTab{T: t, ctx: ctx}
}

func (p *docsTab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// press clicks on elements, one after the other, once they are visible. It does not
// go by where they are, nor by the node: while a page draws what came before it moves
// them, and one that is live replaces them. A click in two steps would miss.
func (p *docsTab) press(selectors ...string) {
	p.Helper()
	for _, s := range selectors {
		p.do(chromedp.WaitVisible(chromedp.CSS(s)))
		p.eval(fmt.Sprintf("document.querySelector(%q).click(); ''", s))
	}
}

func (p *docsTab) text(selector string) string {
	p.Helper()
	p.do(chromedp.WaitVisible(chromedp.CSS(selector)))
	return strings.TrimSpace(p.eval(fmt.Sprintf("document.querySelector(%q).innerText", selector)))
}

func (p *docsTab) eval(script string) string {
	p.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](script))
	if err != nil {
		p.Fatal(script, err)
	}
	return value
}

// status waits for the answer that an operation shows, and wants it to be status.
func (p *docsTab) status(operation string, status int) {
	p.Helper()
	got := p.text(operation + " .live-responses-table tbody .response-col_status")
	if !strings.HasPrefix(got, fmt.Sprint(status)) {
		p.Errorf("the answer's status is %q, want %d", got, status)
	}
}

// watcher notes what a page must not do.
type watcher struct {
	host     string
	mu       sync.Mutex
	requests int
	wrong    []string
}

func (w *watcher) see(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.wrong = append(w.wrong, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			w.wrong = append(w.wrong, fmt.Sprintf("console: %s %s", e.Type, e.Args[0].Description))
		}
	case *log.EventEntryAdded: // broken policies among them
		if e.Entry.Level == "error" || e.Entry.Source == "security" {
			w.wrong = append(w.wrong, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		w.requests++
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" && u.Host != w.host {
			w.wrong = append(w.wrong, "request: "+e.Request.URL)
		}
	}
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
