//go:build !race

package docs_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/browsertest"
)

// TestDocsInABrowser uses the page as people do, in Chromium, before the
// stand-in for the legacy. No step may make the page err, break its policy, or
// call another host. One tab goes from page to page: to load one takes seconds.
func TestDocsInABrowser(t *testing.T) {
	t.Parallel()
	p := openStart(t)
	p.Press(`a[href$="/docs/"]`)
	p.language("en")
	testDocsLocks(p)
	testDocsCreate(p)
	p.change("es")
	p.change("fr")
	testDocsDark(p)
	testDocsKeyboard(p)
}

// TestDocsOnAllScreens looks at the start page and the documentation page in the language with
// the longest words.
func TestDocsOnAllScreens(t *testing.T) {
	t.Parallel()
	p := openStart(t)
	testStart(p)
	p.language("de")
	testDocsPhone(p)
	testDocsAccessible(p)
}

// docsTab is a tab that shows the start page, or the documentation page in a language.
type docsTab struct{ *browsertest.Tab }

func openStart(t *testing.T) docsTab {
	t.Helper()
	b := browsertest.Start(t)
	legacy := httptest.NewServer(sim.New(sim.Options{}))
	t.Cleanup(legacy.Close)
	// The public URL is another host: what the page calls must be where it came from.
	o := proxy.Options{PublicURL: "https://api.example.org", Docs: true,
		Legacy: proxy.LegacyOptions{Namespace: "tribe/events/v1", LanguageParam: "wpml_language"}}
	for i, code := range i18n.Codes {
		root := "/wp-json"
		if i > 0 {
			root = "/" + code + root
		}
		o.Site = append(o.Site, i18n.Language{Code: code, Root: root, Upstream: legacy.URL + root})
	}
	facade := httptest.NewServer(proxy.New(o))
	t.Cleanup(facade.Close)
	p := docsTab{b.Tab(t, facade.URL)}
	p.Open(facade.URL + "/")
	return p
}

// status waits for the answer that an operation shows, and wants it to be status.
func (p docsTab) status(operation string, status int) {
	p.Helper()
	got := p.Text(operation + " .live-responses-table tbody .response-col_status")
	if !strings.HasPrefix(got, fmt.Sprint(status)) {
		p.Errorf("the answer's status is %q, want %d", got, status)
	}
}

// change goes from a language to another.
func (p docsTab) change(code string) {
	p.Helper()
	p.Press(`nav a[lang="` + code + `"]`)
	p.language(code)
}

// language wants the documentation page in a language.
func (p docsTab) language(code string) {
	p.Helper()
	texts := i18n.Catalog(code)
	p.Visible(`html[lang="` + code + `"] ` + listOfEvents)
	if got := p.Text("nav [aria-current]"); got != texts.Text("page.language", nil) {
		p.Errorf("%s: the language is %q", code, got)
	}
	title := texts.Text("document.title", nil)
	if got := p.Text("h1"); got != title || p.Eval("document.title") != title {
		p.Errorf("%s: title %q and %q, want %q", code, got, p.Eval("document.title"), title)
	}
	if got := p.Text(listOfEvents + " .opblock-summary-description"); got != texts.Text("events.list", nil) {
		p.Errorf("%s: the list of events is %q", code, got)
	}
	if n := p.Eval(`String(document.querySelectorAll(".opblock-head, .opblock-options").length)`); n != "0" {
		p.Errorf("%s: the page has %s operations that every path has", code, n)
	}
}

// testDocsList requests a list of one event: each token of an answer is an element.
func testDocsList(p docsTab) {
	p.Press(listOfEvents+" .opblock-summary-control", listOfEvents+" .try-out__btn")
	p.Select(listOfEvents + ` [data-param-name="per_page"] input`)
	p.Keys("1" + kb.Tab) // Swagger UI reads a field when the focus leaves it
	p.Press(listOfEvents + " .execute")
	p.status(listOfEvents, http.StatusOK)
	if got := p.Text(listOfEvents + " .request-url pre"); !strings.Contains(got, "per_page=1&") {
		p.Errorf("the request was %q", got)
	}
	if got := p.Text(listOfEvents + " .live-responses-table tbody .response-col_description"); !strings.Contains(got, `"events"`) {
		p.Errorf("the answer is %.200q, want events", got)
	}
}

// testDocsCreate signs out, signs in again in the dialog of the page, and creates an event.
func testDocsCreate(p docsTab) {
	p.Press(".scheme-container .authorize", ".modal-ux .auth-btn-wrapper .auth:not(.authorize)", ".modal-ux .btn-done")
	p.Want(lockTitle, "Needs credentials")
	p.Press(".scheme-container .authorize")
	p.signIn()
	p.Press(newEvent+" .opblock-summary-control", newEvent+" .try-out__btn")
	p.Select(newEvent + " textarea.body-param__text")
	p.Insert(`{"title":"Tried","start_date":"tomorrow 10:00","end_date":"tomorrow 12:00"}`)
	p.Press(newEvent + " .execute")
	p.status(newEvent, http.StatusCreated)
}

// signIn fills in the dialog, and closes it.
func (p docsTab) signIn() {
	p.Helper()
	user := sim.Users[0]
	p.Type(`#auth-basic-username, input[name="username"]`, user.Name)
	p.Type(`#auth-basic-password, input[name="password"]`, user.Password)
	p.Press(".modal-ux .auth-btn-wrapper .authorize", ".modal-ux .btn-done")
}

func testDocsPhone(p docsTab) {
	p.Phone()
	p.FitsPhone("the page")
	testDocsList(p)
	p.FitsPhone("an answer")
}

// testDocsLocks: what everyone may read has no lock. A lock is closed until there are
// credentials. The dialog offers what the facade accepts, from its first field on.
func testDocsLocks(p docsTab) {
	p.Want(`String(document.querySelectorAll(".opblock-get .authorization__btn").length)`, "0")
	p.Want(lockTitle, "Needs credentials")
	p.Press(lock)
	p.Text(".modal-ux")
	p.Want(`[...document.querySelectorAll(".modal-ux h4 code")].map((e) => e.textContent).join()`, "basic")
	p.Want("document.activeElement.name + document.querySelector('.modal-ux-content').scrollTop", "username0")
	p.signIn()
	p.Want(lockTitle, "Credentials are set")
}

// testDocsAccessible opens all kinds of parts beside the answer, and looks at them on all
// screens. It leaves a page that cannot be used.
func testDocsAccessible(p docsTab) {
	p.Press(newEvent+" .opblock-summary-control", changeVenue+" .opblock-summary-control",
		listOfEvents+" .responses-table .tablinks[data-name=model]")
	p.Text(newEvent + " .responses-table")
	p.Text(changeVenue + " .responses-table")
	for _, screen := range []func(){p.Desktop, p.Phone} {
		screen()
		// The longest text of the column, and the shortest of the other.
		p.Want(`[...document.querySelectorAll(".responses-table > tbody > tr")].filter((row) =>
			row.cells[0].offsetWidth < 60 || row.cells[0].scrollWidth > row.cells[0].offsetWidth ||
			row.cells[1].getBoundingClientRect().left < row.cells[0].getBoundingClientRect().right ||
			row.cells[1].offsetWidth < 150).map((row) => row.textContent.slice(0, 30)).join()`, "")
		// No word is broken into letters: the types of header fields.
		p.Want(`[...document.querySelectorAll(".headers td:last-child")].filter((cell) => cell.offsetWidth < 40).map((cell) => cell.textContent).join()`, "")
	}
	p.FitsPhone("what is open")
	p.Press(".scheme-container .authorize")
	p.Text(".modal-ux")
	// All rows are alike, and their headers are most of the page; so are the tokens of examples.
	p.Eval(`document.querySelectorAll(".responses-table .response:nth-child(n + 3), .example code > :nth-child(n + 60)").forEach((e) => e.remove()), ""`)
	p.Accessible("docs")
}

// testStart looks at the start page on all screens in the language with the longest words, and
// goes on to the documentation page.
func testStart(p docsTab) {
	p.Press(`nav a[lang="de"]`)
	p.Visible(`html[lang="de"] nav a[lang="de"][aria-current]`)
	p.Want("document.title + String(getComputedStyle(document.querySelector('code')).display)",
		i18n.Catalog("de").Text("document.title", nil)+"block")
	p.Phone()
	p.FitsPhone("the start page")
	p.Accessible("start")
	p.Press(`a[href$="/docs/"]`)
}

func testDocsDark(p docsTab) {
	const colours = "getComputedStyle(document.documentElement).backgroundColor + ' ' + getComputedStyle(document.querySelector('.swagger-ui')).color"
	emulate := func(scheme string) string {
		p.Helper()
		p.ColorScheme(scheme)
		wait := "html.dark-mode"
		if scheme == "light" {
			wait = "html:not(.dark-mode)"
		}
		p.Visible(wait)
		return p.Eval(colours)
	}
	if got, want := emulate("light"), "rgb(245, 246, 244) rgb(59, 65, 81)"; got != want {
		p.Errorf("light: background and text are %s, want %s", got, want)
	}
	if got, want := emulate("dark"), "rgb(20, 24, 22) rgb(228, 230, 230)"; got != want {
		p.Errorf("dark: background and text are %s, want %s", got, want)
	}
}

func testDocsKeyboard(p docsTab) {
	p.tabTo("nav a")
	p.tabTo(listOfEvents + " .opblock-summary-control")
	p.Keys(kb.Enter)
	p.Visible(listOfEvents + " .opblock-body")
}

// tabTo presses Tab until what selector matches has the focus.
func (p docsTab) tabTo(selector string) {
	p.Helper()
	for range 30 {
		p.Keys(kb.Tab)
		if p.Eval(fmt.Sprintf("String(document.activeElement.matches(%q))", selector)) == "true" {
			return
		}
	}
	p.Fatalf("Tab does not reach %s", selector)
}

// Selectors of operations.
const (
	changeVenue  = `.opblock-put:has([data-path="/venues/{id}"])`
	listOfEvents = `.opblock-get:has([data-path="/events"])`
	newEvent     = `.opblock-post:has([data-path="/events"])`
	lock         = newEvent + " .authorization__btn"
	lockTitle    = "document.querySelector('" + lock + "').title"
)
