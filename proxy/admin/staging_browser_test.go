//go:build !race

package admin_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/browsertest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
)

// TestStagingInABrowser uses the tab of the matrix as an operator does.
func TestStagingInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	o := newStagingOperator(t)
	o.fill()
	o.state = admin.NewPageState(admin.PageStateOptions{Metrics: o.metrics, Every: 600 * time.Millisecond,
		Clock: func() time.Time { return o.now }})
	admin := httptest.NewServer(o.admin())
	t.Cleanup(admin.Close)
	p := b.Tab(t, admin.URL)
	p.Desktop()
	p.Open(admin.URL, "#token")
	p.Type("#token", adminToken+kb.Enter)
	p.Visible("#traffic .chart")
	p.Press(`nav a[href="staging"]`)
	p.Visible("#matrix")
	testStagingLive(p, o)
	testStagingChange(p, o)
	p.Press("#groups details:last-of-type summary")
	testStatusDark(p)
	p.Accessible("staging")
	p.Phone()
	p.FitsPhone("the staging page")
}

// testStagingLive: counts and findings update without a reload, and open details stay
// open.
func testStagingLive(p *browsertest.Tab, o *operator) {
	p.Press("#groups summary")
	p.Eval("String(window.mark = 'the same page')")
	p.Eval("String(document.activeElement.blur())")
	for number := range uint64(4) {
		stagingtest.Route(o.options.Staging, stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "en"},
			staging.Client{Number: 8 + number})
	}
	for range 60 {
		o.options.Staging.Compared(stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "venues", Language: "es"}, true)
	}
	p.WaitFor("document.querySelector('#matrix').textContent.includes('70 % (70 of 100)')")
	if got := p.Text("#matrix"); !strings.Contains(got, "50 % (2 of 4)") {
		p.Errorf("the share of the canary is %q", got)
	}
	if got := p.Eval("String(window.mark) + ' ' + document.querySelectorAll('#groups details[open]').length"); got != "the same page 1" {
		p.Errorf("the page was reloaded, or closes what is open: %s", got)
	}
}

// testStagingChange: a change of cells needs a confirmation, and one that splits reads and
// writes a second choice.
func testStagingChange(p *browsertest.Tab, o *operator) {
	choose := func(state string) {
		p.Press(`input[name="resources"][value="venues"]`, `input[name="languages"][value="es"]`, `input[name="state"][value="`+state+`"]`)
		p.Type("#who", "anna")
	}
	choose("canary")
	p.Type("#why", "it <i>is</i> time"+kb.Enter)
	p.Visible("#yes")
	if got, want := p.Text("h1")+" "+p.Text(".tags"),
		"Change staging to canary 10%? reads of venues in es, now shadow\nwrites of venues in es, now legacy"; got != want {
		p.Errorf("the question is %q, want %q", got, want)
	}
	p.Press("#yes")
	p.Visible(".notice")
	place := staging.Cell{Op: staging.Read, Resource: "venues", Language: "es"}
	if got := p.Text(".notice"); got != "Staging was changed." ||
		!stagingtest.Route(o.options.Staging, stagingtest.Candidate, place, staging.Client{Number: 9}).Candidate ||
		stagingtest.Route(o.options.Staging, stagingtest.Candidate, place, staging.Client{Number: 10}).Candidate {
		p.Errorf("it says %q: %s", got, stagingtest.Changed(o.options.Staging))
	}
	if got := p.Text("#changes li:first-child q"); got != "it <i>is</i> time" {
		p.Errorf("the change was made since %q", got)
	}
	choose("canary")
	p.Type(`select[name="by"]`, "requests")
	p.Press(`button[value="stage"]`)
	p.Visible("#yes")
	if got, want := p.Text("h1"), "Change staging to canary 10% of requests?"; got != want {
		p.Errorf("the question is %q, want %q", got, want)
	}
	p.Back()
	p.Visible("#matrix")
	p.Reload()
	p.Visible("#matrix")
	choose("legacy")
	p.Press(`input[name="methods"][value="write"]`) // clears the box
	p.Press(`button[value="stage"]`)
	p.Visible(`input[name="force"]`)
	p.Press("#yes") // the browser does not submit it
	testSmallPage(p, "staging-split")
	if !stagingtest.Route(o.options.Staging, stagingtest.Candidate, place, staging.Client{Number: 9}).Candidate {
		p.Error("split without the choice")
	}
	p.Press(`input[name="force"]`, "#yes")
	p.Visible("#changes") // the previous page has a notice too
	if stagingtest.Route(o.options.Staging, stagingtest.Candidate, place, staging.Client{Number: 9}).Candidate {
		p.Errorf("not split: %s", stagingtest.Changed(o.options.Staging))
	}
}
