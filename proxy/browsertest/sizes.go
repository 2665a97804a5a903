//go:build !race

package browsertest

import "github.com/chromedp/chromedp"

// Phone makes the tab a phone's screen.
func (p *Tab) Phone() {
	p.Helper()
	do(p, step[chromedp.Void]{
		name:   "the screen is a phone's",
		action: chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile),
	})
}

// Desktop makes the tab a screen of 1280 by 900 px.
func (p *Tab) Desktop() {
	p.Helper()
	do(p, step[chromedp.Void]{name: "the screen is large", action: chromedp.EmulateViewport(1280, 900)})
}

// FitsPhone wants nothing to the right of a phone's screen. An element that is wider may
// scroll by itself. The errors call the page name. The text is measured as it is and spaced
// as WCAG 1.4.12 allows readers to space it and beyond: the widest common fonts
// are 0.12em a letter wider than the narrowest, so that the outcome does not depend on the
// fonts of the machine.
func (p *Tab) FitsPhone(name string) {
	p.Helper()
	const overflow = "`${document.documentElement.scrollWidth > innerWidth} ${innerWidth}`"
	if state := p.Eval(overflow); state != "false 390" {
		p.Errorf("%s scrolls sideways: %s", name, state)
	}
	const spaced = `(() => {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync("* { letter-spacing: 0.15em !important; word-spacing: 0.16em !important }");
		document.adoptedStyleSheets = [sheet];
		const scrolls = (e) => e && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
		const widest = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > 390 && !scrolls(e));
		const got = ` + overflow + `;
		const named = widest.slice(-3).map((e) => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40)).join("; ");
		document.adoptedStyleSheets = [];
		return got === "false 390" ? "" : got + ": " + named;
	})()`
	if state := p.Eval(spaced); state != "" {
		p.Errorf("%s scrolls sideways when its text is spaced: %s", name, state)
	}
}
