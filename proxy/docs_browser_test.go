//go:build !race

package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
)

// TestDocsInABrowser uses the page as people do, in Chromium, before the
// stand-in for the legacy. No step may make the page err, break its policy, or
// call another host.
func TestDocsInABrowser(t *testing.T) {
	b := startBrowser(t)
	t.Run("languages", func(t *testing.T) { testDocsLanguages(b.open(t, i18n.Codes[0])) })
	t.Run("create", func(t *testing.T) { testDocsCreate(b.open(t, "en")) })
	t.Run("phone", func(t *testing.T) {
		testDocsPhone(b.open(t, "de", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile)))
	})
	t.Run("dark, by keyboard", func(t *testing.T) {
		p := b.open(t, "fr")
		testDocsDark(p)
		testDocsKeyboard(p)
	})
}

func testDocsLanguages(p *docsTab) {
	for i, code := range i18n.Codes {
		voice := i18n.Voice(code)
		if i > 0 { // the first is there
			p.press(`nav a[lang="` + code + `"]`)
		}
		p.do(chromedp.WaitVisible(chromedp.CSS(`html[lang="` + code + `"] ` + listOfEvents)))
		if got := p.text("nav [aria-current]"); got != voice.Text("page.language", nil) {
			p.Errorf("%s: the language is %q", code, got)
		}
		title := voice.Text("document.title", nil)
		if got := p.text("h1"); got != title || p.eval("document.title") != title {
			p.Errorf("%s: title %q and %q, want %q", code, got, p.eval("document.title"), title)
		}
		if got := p.text(listOfEvents + " .opblock-summary-description"); got != voice.Text("events.list", nil) {
			p.Errorf("%s: the list of events is %q", code, got)
		}
		if n := p.eval(`String(document.querySelectorAll(".opblock-head, .opblock-options").length)`); n != "0" {
			p.Errorf("%s: the page has %s operations that every path has", code, n)
		}
	}
}

func testDocsList(p *docsTab) {
	p.press(listOfEvents+" .opblock-summary-control", listOfEvents+" .try-out__btn", listOfEvents+" .execute")
	p.status(listOfEvents, http.StatusOK)
	if got := p.text(listOfEvents + " .live-responses-table tbody .response-col_description"); !strings.Contains(got, `"events"`) {
		p.Errorf("the answer is %.200q, want events", got)
	}
}

func testDocsCreate(p *docsTab) {
	user := sim.Users[0]
	p.press(".scheme-container .authorize")
	p.do(
		chromedp.SendKeys(chromedp.CSS(`#auth-basic-username, input[name="username"]`), user.Name),
		chromedp.SendKeys(chromedp.CSS(`#auth-basic-password, input[name="password"]`), user.Password),
	)
	p.press(".modal-ux .auth-btn-wrapper .authorize", ".modal-ux .btn-done", newEvent+" .opblock-summary-control", newEvent+" .try-out__btn")
	p.do(
		chromedp.Focus(chromedp.CSS(newEvent+" textarea.body-param__text")),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
	)
	const body = `{"title":"Tried","start_date":"tomorrow 10:00","end_date":"tomorrow 12:00"}`
	if _, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: body}); err != nil {
		p.Fatal(err)
	}
	p.press(newEvent + " .execute")
	p.status(newEvent, http.StatusCreated)
}

func testDocsPhone(p *docsTab) {
	p.fitsWidth("the page")
	testDocsList(p)
	p.fitsWidth("an answer")
}

// fitsWidth wants nothing to the right of the screen. What is wider may scroll in
// itself.
func (p *docsTab) fitsWidth(what string) {
	p.Helper()
	if got := p.eval("`${document.documentElement.scrollWidth > innerWidth} ${innerWidth}`"); got != "false 390" {
		p.Errorf("%s scrolls sideways: %s", what, got)
	}
}

func testDocsDark(p *docsTab) {
	const colours = "getComputedStyle(document.documentElement).backgroundColor + ' ' + getComputedStyle(document.querySelector('.swagger-ui')).color"
	emulate := func(scheme string) string {
		p.Helper()
		_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		if err != nil {
			p.Fatal(err)
		}
		wait := "html.dark-mode"
		if scheme == "light" {
			wait = "html:not(.dark-mode)"
		}
		p.do(chromedp.WaitVisible(chromedp.CSS(wait)))
		return p.eval(colours)
	}
	if got, want := emulate("light"), "rgb(255, 255, 255) rgb(59, 65, 81)"; got != want {
		p.Errorf("light: background and text are %s, want %s", got, want)
	}
	if got, want := emulate("dark"), "rgb(28, 32, 34) rgb(228, 230, 230)"; got != want {
		p.Errorf("dark: background and text are %s, want %s", got, want)
	}
}

func testDocsKeyboard(p *docsTab) {
	p.tabTo("nav a")
	p.tabTo(listOfEvents + " .opblock-summary-control")
	p.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS(listOfEvents+" .opblock-body")))
}

// tabTo presses Tab until what selector matches has the focus.
func (p *docsTab) tabTo(selector string) {
	p.Helper()
	for range 30 {
		p.do(chromedp.KeyEvent(kb.Tab))
		if p.eval(fmt.Sprintf("String(document.activeElement.matches(%q))", selector)) == "true" {
			return
		}
	}
	p.Fatalf("Tab does not reach %s", selector)
}

// Selectors of two operations.
const (
	listOfEvents = `.opblock-get:has([data-path="/events"])`
	newEvent     = `.opblock-post:has([data-path="/events"])`
)
