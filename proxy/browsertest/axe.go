//go:build !race

package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// violations returns a script that runs axe-core with options, and returns a line for each serious or critical violation.
func violations(options string) string {
	return `(async () => {
	const still = new CSSStyleSheet(); // a colour that fades has no contrast
	still.replaceSync("* { animation: none !important; transition: none !important }");
	document.adoptedStyleSheets = [still];
	const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
	await frame();
	await frame();
	const found = await axe.run(document, { resultTypes: ["violations"], ` + options + ` });
	return found.violations
		.filter((v) => v.impact === "serious" || v.impact === "critical")
		.flatMap((v) => v.nodes.slice(0, 5)
			.map((n) => [v.impact, v.id, n.target.join(" "), n.html.slice(0, 120), n.failureSummary].join(": ")))
		.join("\n");
})()`
}

// withoutContrast leaves out the contrast of each text, which takes axe-core most of its time.
const withoutContrast = `rules: { "color-contrast": { enabled: false } }`

// AccessibleStructure is [Tab.Accessible] without colours, for a page with many parts of which few show all colours.
// It looks at the tab as it is.
func (p *Tab) AccessibleStructure(name string) {
	p.Run("axe "+name, func(t *testing.T) {
		p := p.withAxe(t)
		if problems := p.Await(violations(withoutContrast)); problems != "" {
			t.Errorf("%s:\n%s", name, problems)
		}
	})
}

// withAxe returns the tab for a subtest, with axe-core.
func (p *Tab) withAxe(t *testing.T) *Tab {
	tab := &Tab{T: t, ctx: p.ctx}
	do(tab, step[string]{name: "axe-core is there", action: chromedp.Evaluate[string](axe(t) + "; ''")})
	return tab
}

// Accessible wants no serious or critical violation of axe-core in what the tab shows, in
// light and dark, on a screen of 1280 px and on a phone's. It leaves the tab a phone's, in
// dark. It takes a picture of each, whose names begin with name. Without axe-core it is
// skipped, and fails where CI=true.
func (p *Tab) Accessible(name string) {
	p.Run("axe "+name, func(t *testing.T) {
		p := p.withAxe(t)
		for _, screen := range []struct {
			width int
			set   func()
		}{{1280, p.Desktop}, {390, p.Phone}} {
			screen.set()
			for _, scheme := range []string{"light", "dark"} {
				p.ColorScheme(scheme)
				title := fmt.Sprintf("%s-%s-%d", name, scheme, screen.width)
				if problems := p.Await(violations("")); problems != "" {
					t.Errorf("%s:\n%s", title, problems)
				}
				p.Screenshot(title + ".png")
			}
		}
	})
}
