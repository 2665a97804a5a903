//go:build !race

package proxy_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy"
)

// TestStatusInABrowser uses the status page as an operator does, in Chromium. No
// step may make the page err, break its policy, or call another host.
func TestStatusInABrowser(t *testing.T) {
	b := startBrowser(t)
	o := newOperator(t)
	o.options.Status = proxy.NewStatus(proxy.StatusOptions{Metrics: o.metrics, Every: 200 * time.Millisecond})
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		o.options.Status.Run(end)
		close(ended)
	}()
	t.Cleanup(func() { close(end); <-ended })
	admin := httptest.NewServer(proxy.NewAdmin(o.options))
	t.Cleanup(admin.Close)
	p := b.tab(t, admin.URL)
	p.do(
		chromedp.EmulateViewport(1280, 900),
		chromedp.Navigate(admin.URL),
		chromedp.SendKeys(chromedp.CSS("#token"), adminToken+kb.Enter),
		chromedp.WaitVisible(chromedp.CSS("#traffic .chart")),
	)
	testStatusLive(p, o)
	testStatusPurge(p, o)
	testStatusSwitch(p, o)
	p.screenshot("status-light.png")
	testStatusDark(p)
	p.screenshot("status-dark.png")
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.fitsWidth("the status page")
	p.screenshot("status-phone.png")
}

// testStatusLive: what happens shows without a reload.
func testStatusLive(p *docsTab, o *operator) {
	p.eval("String(window.mark = 'the same page')")
	for _, code := range []string{"en", "es", "de", "en"} {
		o.ask("GET", "/"+code+"/wp-json/calendar/events/v1/events/12")
	}
	o.cache.Purge(p.Context(), cache.Purge{Tags: []string{"events:12"}, From: "write"})
	p.waitFor("document.querySelector('#endpoints tbody').textContent.includes('events.read')")
	p.waitFor("document.querySelector('#purges tbody').textContent.includes('events:12')")
	p.waitFor("document.querySelectorAll('#roots .line[d^=M]').length > 4")
	if got := p.eval("String(window.mark) + ' ' + document.getElementById('live').textContent"); got != "the same page Live." {
		p.Errorf("the page was loaded anew, or does not say that it is live: %s", got)
	}
}

// testStatusPurge: by keyboard, and with a question before.
func testStatusPurge(p *docsTab, o *operator) {
	purged := func() int { return len(o.cache.Recent()) }
	before := purged()
	p.do(
		chromedp.SendKeys(chromedp.CSS("#tags"), "en:events events:12"+kb.Enter),
		chromedp.WaitVisible(chromedp.CSS(".tags")),
	)
	if got := p.text("h1") + " " + p.text(".tags"); got != "Purge these tags? en:events\nevents:12" || purged() != before {
		p.Errorf("the question is %q, and %d were purged", got, purged()-before)
	}
	p.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS(".notice")))
	if got := p.text(".notice"); got != "The tags were purged." || purged() != before+1 {
		p.Errorf("it says %q, and %d were purged", got, purged()-before)
	}
	p.press(`button[value="purge-all"]`, "a.button") // no
	p.do(chromedp.WaitVisible(chromedp.CSS("#traffic")))
	if purged() != before+1 {
		p.Error("purged though the answer was no")
	}
}

func testStatusSwitch(p *docsTab, o *operator) {
	for _, step := range []struct {
		button, says string
		want         bool
	}{{"read-only", "Writes are refused now.", true}, {"read-write", "Writes are taken again.", false}} {
		p.press(`button[value="`+step.button+`"]`, "#yes")
		p.do(chromedp.WaitVisible(chromedp.CSS(".notice")))
		if got := p.text(".notice"); got != step.says || o.facade.ReadOnly() != step.want {
			p.Errorf("it says %q, and read-only is %t", got, o.facade.ReadOnly())
		}
	}
}

func testStatusDark(p *docsTab) {
	const colours = "getComputedStyle(document.documentElement).backgroundColor + ' ' + getComputedStyle(document.body).color"
	if got, want := p.eval(colours), "rgb(245, 246, 244) rgb(29, 36, 32)"; got != want {
		p.Errorf("light: background and text are %s, want %s", got, want)
	}
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	if err != nil {
		p.Fatal(err)
	}
	if got, want := p.eval(colours), "rgb(20, 24, 22) rgb(230, 235, 232)"; got != want {
		p.Errorf("dark: background and text are %s, want %s", got, want)
	}
}

// waitFor waits until an expression is true.
func (p *docsTab) waitFor(expression string) {
	p.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression)); err != nil {
		p.Fatal(expression, ": ", err)
	}
}

// screenshot keeps how the page looks, where somebody wants to see it.
func (p *docsTab) screenshot(name string) {
	p.Helper()
	directory := os.Getenv("ARTIFACTS_DIR")
	if directory == "" {
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, name), picture, 0o644); err != nil {
		p.Fatal(err)
	}
}
