//go:build !race

package admin_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/browsertest"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestStatusInABrowser uses the status page as an operator does, in Chromium. No
// step may cause an error, violate the page's policy, or call another host.
func TestStatusInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	o := newOperator(t)
	o.state = admin.NewPageState(admin.PageStateOptions{Metrics: o.metrics, Every: 600 * time.Millisecond})
	end := make(chan struct{})
	done := make(chan struct{})
	go func() {
		o.state.Run(end)
		close(done)
	}()
	t.Cleanup(func() { close(end); <-done })
	admin := httptest.NewServer(o.admin())
	t.Cleanup(admin.Close)
	p := b.Tab(t, admin.URL)
	p.Open(admin.URL, "#token")
	testSmallPage(p, "sign-in")
	p.Type("#token", adminToken+kb.Enter)
	p.Visible("#traffic .chart")
	testStatusLive(p, o)
	testStatusPurge(p, o)
	testStatusSwitch(p, o)
	testStatusLegacyClients(p, o)
	testStatusDark(p)
	p.Accessible("status")
	p.Phone()
	p.FitsPhone("the status page")
}

// testSmallPage looks at a page with a form and nothing else on all screens, and leaves the tab
// a large one, in light.
func testSmallPage(p *browsertest.Tab, name string) {
	p.Phone()
	p.FitsPhone("the page " + name)
	p.Accessible(name)
	p.Desktop()
	p.ColorScheme("light")
}

// testStatusLive: the page updates without a reload.
func testStatusLive(p *browsertest.Tab, o *operator) {
	p.Eval("String(window.mark = 'the same page')")
	for _, code := range []string{"en", "es", "de", "en"} {
		o.get("/" + code + "/wp-json/calendar/events/v1/events/12")
	}
	o.cache.Purge(p.Context(), cache.Purge{Tags: []string{"events:12"}, From: "write"})
	p.WaitFor("document.querySelector('#roots .number').textContent !== '0'")
	p.WaitFor("document.querySelector('#purges').textContent.includes('events:12')")
	p.WaitFor("document.querySelectorAll('#traffic .bars[d^=M]').length === 3")
	if got := p.Eval("String(window.mark) + ' ' + document.getElementById('live').textContent"); got != "the same page Live." {
		p.Errorf("the page was reloaded, or does not show that it is live: %s", got)
	}
}

// testStatusPurge: by keyboard, and with a confirmation.
func testStatusPurge(p *browsertest.Tab, o *operator) {
	purged := func() int { return int(o.cache.Stats().Purges) }
	count := purged()
	const item = "https://api.example.org/en/wp-json/calendar/events/v1/venues/7" + kb.Enter
	p.Type("#item", item)
	p.Visible(".tags")
	if got := p.Text("h1") + " " + p.Text(".tags"); !strings.HasPrefix(got, "Purge this item? ") || !strings.Contains(got, "venues:7") ||
		purged() != count {
		p.Errorf("the question is %q, and %d were purged", got, purged()-count)
	}
	p.WaitFor("document.activeElement.textContent === 'No, go back'") // autofocus comes after the page
	p.Keys(kb.Enter)
	p.Visible("#traffic")
	if purged() != count {
		p.Error("Enter purges, though nothing was confirmed")
	}
	p.Type("#item", item)
	p.Visible("#yes")
	testSmallPage(p, "confirm")
	p.Press("#yes")
	p.Visible(".notice")
	if got := p.Text(".notice"); got != "The item was purged." || purged() != count+1 {
		p.Errorf("the notice is %q, and %d were purged", got, purged()-count)
	}
	p.Press(`button[value="purge-all"]`, "a.button") // no
	p.Visible("#traffic")
	if purged() != count+1 {
		p.Error("purged though it was not confirmed")
	}
}

func testStatusSwitch(p *browsertest.Tab, o *operator) {
	for _, step := range []struct {
		button, notice string
		want           bool
	}{{"read-only", "Writes are refused now.", true}, {"read-write", "Writes are accepted again.", false}} {
		p.Press(`button[value="`+step.button+`"]`, "#yes")
		p.Visible(".notice")
		if got := p.Text(".notice"); got != step.notice || o.facade.ReadOnly() != step.want {
			p.Errorf("the notice is %q, and read-only is %t", got, o.facade.ReadOnly())
		}
	}
}

// testStatusLegacyClients: the clients of the legacy's names are listed once there are some.
func testStatusLegacyClients(p *browsertest.Tab, o *operator) {
	p.Want("String(document.querySelector('#legacy table'))", "null")
	for i, network := range []string{"203.0.113.0/24", "198.51.100.0/24", "2001:db8:1234::/48"} {
		for _, family := range []string{"wordpress", "powerautomate", "chrome"}[i:] {
			o.metrics.LegacyRequest(telemetry.LegacyClient{Family: family, Prefix: network, Resource: "organizers", Method: "GET"},
				i == 1, time.Now())
		}
	}
	p.WaitFor("document.querySelectorAll('#legacy tbody tr').length === 6")
	if got := p.Text("#legacy tbody"); !strings.Contains(got, "2001:db8:1234::/48\torganizers\tget\t1\t0") {
		p.Errorf("the clients of the legacy's names are %q", got)
	}
}

func testStatusDark(p *browsertest.Tab) {
	const colours = "getComputedStyle(document.documentElement).backgroundColor + ' ' + getComputedStyle(document.body).color"
	if got, want := p.Eval(colours), "rgb(245, 246, 244) rgb(29, 36, 32)"; got != want {
		p.Errorf("light: background and text are %s, want %s", got, want)
	}
	p.ColorScheme("dark")
	if got, want := p.Eval(colours), "rgb(20, 24, 22) rgb(230, 235, 232)"; got != want {
		p.Errorf("dark: background and text are %s, want %s", got, want)
	}
}
