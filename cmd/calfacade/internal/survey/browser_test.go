//go:build !race

package survey

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/calfacade/calfacade/proxy/browsertest"
)

// TestReportInABrowser reads the report from its file in Chromium: it filters, runs
// nothing of the sites', loads nothing, fits a phone's screen, and is dark where the
// system is.
func TestReportInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	dir := t.TempDir()
	r := someReport()
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.Join(dir, "report.html")
	p := b.Tab(t, url)
	p.Desktop()
	p.Open(url, "#filters")
	p.Want("document.title", "calfacade diff: new")
	p.Want("document.getElementById('shown').textContent", "4 of 4")
	p.Want("document.querySelector('[name=language]').selectedOptions[0].text", "all")
	for _, step := range []struct{ name, value, visible string }{
		{"language", "es", "2 of 4"},
		{"kind", "value", "1 of 4"},
		{"resource", "venues", "0 of 4"},
		{"kind", "", "1 of 4"},
		{"language", "", "2 of 4"},
		{"path", "no such", "0 of 4"},
		{"resource", "", "0 of 4"},
		{"path", nasty[:9], "2 of 4"},
		{"weight", "visible", "0 of 4"},
		{"weight", "", "2 of 4"},
	} {
		p.Eval(fmt.Sprintf("document.querySelector('[name=%s]').value = %q", step.name, step.value))
		p.Eval("document.getElementById('filters').dispatchEvent(new Event('input')), ''")
		p.Want("document.getElementById('shown').textContent", step.visible)
		p.Want("String([...document.querySelectorAll('article')].filter(a => a.offsetHeight > 0).length)", step.visible[:1])
	}
	p.Want(`[...document.querySelectorAll('select')].map((s) => s.selectedOptions[0]?.text).join()`, "all,all,all,all")
	p.Want("String([...document.querySelectorAll('section')].filter(s => s.offsetHeight > 0).length)", "1")
	p.Want("document.querySelector('pre').textContent.slice(0, 10)", nasty[:10])
	p.Want("String(document.querySelectorAll('img').length)", "0")
	p.Want(`[...document.links].filter((a) => !/^(https|file):/.test(a.href)).map((a) => a.protocol).join()`, "")
	p.Want("document.querySelector('ins').textContent.slice(0, 1)", "=")
	p.Screenshot("report-1280")
	const background = "getComputedStyle(document.documentElement).backgroundColor"
	p.Want(background, "rgb(245, 246, 244)")
	p.ColorScheme("dark")
	p.Want(background, "rgb(20, 24, 22)")
	p.Accessible("diff")
	p.Phone()
	p.FitsPhone("the report")
}
