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
	"github.com/calfacade/calfacade/mapping"
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
	p.Desktop()
	p.language("en")
	testDocsSearch(p)
	testDocsSamples(p)
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
		Legacy: proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"}}}
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

// status waits for the response that an operation shows, and wants it to be status.
func (p docsTab) status(operation string, status int) {
	p.Helper()
	if got := p.Text(operation + " output .status"); !strings.HasPrefix(got, fmt.Sprint(status)) {
		p.Errorf("the response's status is %q, want %d", got, status)
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
	if got := p.Text(listOfEvents + " h3"); got != texts.Text("events.list", nil) {
		p.Errorf("%s: the list of events is %q", code, got)
	}
	if n := p.Eval(`String(document.querySelectorAll(".HEAD, .OPTIONS").length)`); n != "0" {
		p.Errorf("%s: the page has %s operations that every path has", code, n)
	}
}

// testDocsList requests a list of one event.
func testDocsList(p docsTab) {
	p.Press(listOfEvents + " .try")
	p.Type(listOfEvents+` input[name="per_page"]`, "1")
	p.Press(listOfEvents + " [type=submit]")
	p.status(listOfEvents, http.StatusOK)
	if got := p.Text(listOfEvents + " .sent"); !strings.HasSuffix(got, "/events?per_page=1") {
		p.Errorf("the request was %q", got)
	}
	if got := p.Text(listOfEvents + " .received"); !strings.Contains(got, `"events"`) {
		p.Errorf("the response is %.200q, want events", got)
	}
}

// testDocsCreate creates an event with credentials, which the form of an operation sends once it has a body.
func testDocsCreate(p docsTab) {
	user := sim.Users[0]
	p.Type(`#credentials [name="user"]`, user.Name)
	p.Type(`#credentials [name="password"]`, user.Password)
	p.Press(newEvent+" .try", newEvent+" [type=submit]")
	p.Want(`document.querySelector('`+newEvent+` form').checkValidity() + document.querySelector('`+newEvent+` output').textContent`, "false")
	p.Screenshot("docs-write.png")
	p.Eval(`(() => { const body = document.querySelector('` + newEvent + ` textarea'); body.value = body.placeholder; return "" })()`)
	p.Press(newEvent + " [type=submit]")
	p.status(newEvent, http.StatusCreated)
}

// testDocsSearch: the contents have the operations with all words of the search.
func testDocsSearch(p docsTab) {
	const visible = `[...document.querySelectorAll("[data-operation]:not([hidden])")].map((e) => e.dataset.operation).join()`
	p.Type(".search input", "geoloc_lat EVENTS")
	p.Want(visible, "events.list")
	p.Select(".search input")
	p.Keys(kb.Delete)
	p.Want(visible+".split(',').length > 30 ? 'all' : ''", "all")
}

// testDocsSamples: a language is chosen for all samples, and a sample in TypeScript runs; TestSamples runs the others.
func testDocsSamples(p docsTab) {
	p.Press(listOfEvents + ` [data-sample="typescript"]`)
	p.Want(`[...document.querySelectorAll(".sample:not(.typescript)")].filter((e) => e.checkVisibility()).length.toString()`, "0")
	sample := strings.NewReplacer("https://api.example.org", "",
		"console.log(await response.json())", "return typeof (await response.json()).events").Replace(p.Text(listOfEvents + " .typescript"))
	if got := p.Await("(async () => {" + sample + "})()"); got != "object" {
		p.Errorf("%s\nreturns %s, want an object", sample, got)
	}
	p.Press(newEvent + ` [data-sample="curl"]`)
	p.Visible(listOfEvents + " .curl")
}

func testDocsPhone(p docsTab) {
	p.Phone()
	p.FitsPhone("the page")
	testDocsList(p)
	p.FitsPhone("an answer")
}

// testDocsAccessible looks at all operations on one screen, then opens all kinds of parts beside the response, and looks
// at them on all screens.
func testDocsAccessible(p docsTab) {
	p.Desktop()
	p.AccessibleStructure("docs")
	p.Press(newEvent+" details:nth-of-type(1) summary", changeVenue+" details:nth-of-type(2) summary", changeVenue+" .try")
	p.Eval(`document.querySelectorAll('#types ~ details, ` + listOfEvents + ` details').forEach((e) => (e.open = true)), ""`)
	for _, screen := range []func(){p.Desktop, p.Phone} {
		screen()
		// No column is so narrow that words are broken into letters.
		p.Want(`[...document.querySelectorAll("#docs :is(th, td)")]
			.filter((e) => e.checkVisibility() && e.offsetWidth < 60 && e.offsetHeight > 80)
			.map((e) => e.textContent.slice(0, 30)).join()`, "")
	}
	p.FitsPhone("what is open")
	// All operations are alike: axe takes minutes for them all.
	remainder := `.operation:not(` + listOfEvents + `, ` + newEvent + `, ` + changeVenue + `), #types ~ details:nth-of-type(n + 4)`
	p.Eval(`document.querySelectorAll('` + remainder + `').forEach((e) => e.remove()), ""`)
	p.Accessible("docs-open")
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
	const colours = "getComputedStyle(document.documentElement).backgroundColor + ' ' + getComputedStyle(document.documentElement).color"
	for scheme, want := range map[string]string{
		"light": "rgb(245, 246, 244) rgb(29, 36, 32)",
		"dark":  "rgb(20, 24, 22) rgb(230, 235, 232)",
	} {
		p.ColorScheme(scheme)
		p.Want(colours, want)
	}
}

func testDocsKeyboard(p docsTab) {
	p.tabTo("nav a")
	p.tabTo(".contents a[href='#events.list']")
	p.Keys(kb.Enter)
	p.tabTo(listOfEvents + " summary")
	p.Keys(kb.Enter)
	p.Visible(listOfEvents + " details[open] th")
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
	changeVenue  = `[id="venues.update.patch"]`
	listOfEvents = `[id="events.list"]`
	newEvent     = `[id="events.create"]`
)
