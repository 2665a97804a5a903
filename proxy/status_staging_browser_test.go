//go:build !race

package proxy_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestStagingInABrowser uses the tab of the matrix as an operator does.
func TestStagingInABrowser(t *testing.T) {
	b := startBrowser(t)
	o := newStager(t)
	o.fill()
	o.options.Status = proxy.NewStatus(proxy.StatusOptions{Metrics: o.metrics, Every: 200 * time.Millisecond, Clock: func() time.Time { return o.now }})
	admin := httptest.NewServer(proxy.NewAdmin(o.options))
	t.Cleanup(admin.Close)
	p := b.tab(t, admin.URL)
	p.do(
		chromedp.EmulateViewport(1280, 900),
		chromedp.Navigate(admin.URL),
		chromedp.SendKeys(chromedp.CSS("#token"), adminToken+kb.Enter),
		chromedp.WaitVisible(chromedp.CSS("#traffic .chart")),
	)
	p.press(`nav a[href="staging"]`)
	p.do(chromedp.WaitVisible(chromedp.CSS("#matrix")))
	testStagingLive(p, o)
	testStagingChange(p, o)
	p.press("#groups details:last-of-type summary")
	p.screenshot("staging-light.png")
	testStatusDark(p)
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.fitsWidth("the staging page")
	p.screenshot("staging-phone.png")
}

// testStagingLive: what is counted and found shows without a reload, and what is
// open stays open.
func testStagingLive(p *docsTab, o *operator) {
	p.press("#groups summary")
	p.eval("String(window.mark = 'the same page')")
	p.eval("String(document.activeElement.blur())")
	for range 60 {
		o.options.Staging.Compared(staging.Cell{Op: staging.Read, Resource: "venues", Language: "es"}, true)
	}
	p.waitFor("document.querySelector('#matrix').textContent.includes('60 of 60')")
	if got := p.eval("String(window.mark) + ' ' + document.querySelectorAll('#groups details[open]').length"); got != "the same page 1" {
		p.Errorf("the page was loaded anew, or closes what is open: %s", got)
	}
}

// testStagingChange: a part is changed after a question; where reads and writes
// would be split, after a second choice.
func testStagingChange(p *docsTab, o *operator) {
	choose := func(state string) {
		p.press(`input[name="resources"][value="venues"]`, `input[name="languages"][value="es"]`, `input[name="state"][value="`+state+`"]`)
		p.do(chromedp.SendKeys(chromedp.CSS("#who"), "anna"))
	}
	choose("canary")
	p.do(chromedp.SendKeys(chromedp.CSS("#why"), "it <i>is</i> time"+kb.Enter), chromedp.WaitVisible(chromedp.CSS("#yes")))
	if got, want := p.text("h1")+" "+p.text(".tags"), "To canary 10%? reads of venues in es, now shadow\nwrites of venues in es, now legacy"; got != want {
		p.Errorf("the question is %q, want %q", got, want)
	}
	p.screenshot("staging-confirm.png")
	p.press("#yes")
	p.do(chromedp.WaitVisible(chromedp.CSS(".notice")))
	place := staging.Cell{Op: staging.Read, Resource: "venues", Language: "es"}
	if got := p.text(".notice"); got != "The matrix was changed." || !o.options.Staging.Route(place, 9).Candidate || o.options.Staging.Route(place, 10).Candidate {
		p.Errorf("it says %q: %s", got, awayFrom(o.options.Staging))
	}
	if got := p.text("#changes tbody tr td:last-child"); got != "it <i>is</i> time" {
		p.Errorf("the change was made since %q", got)
	}
	choose("legacy")
	p.press(`input[name="methods"][value="write"]`) // not
	p.press(`button[value="stage"]`)
	p.do(chromedp.WaitVisible(chromedp.CSS(`input[name="force"]`)))
	p.press("#yes") // which the browser does not send
	p.screenshot("staging-split.png")
	if !o.options.Staging.Route(place, 9).Candidate {
		p.Error("split without the choice")
	}
	p.press(`input[name="force"]`, "#yes")
	p.do(chromedp.WaitVisible(chromedp.CSS("#changes"))) // the page before has a notice too
	if o.options.Staging.Route(place, 9).Candidate {
		p.Errorf("not split: %s", awayFrom(o.options.Staging))
	}
}
