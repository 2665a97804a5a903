package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Tab is a tab of a browser. Every step that fails ends the test.
type Tab struct {
	*testing.T
	Ctx context.Context // of chromedp
}

// Do carries out steps.
func (p *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.Ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// Press clicks on elements, one after the other, once they are visible. It finds an element
// and clicks it in one script: between two steps a live page may move or replace it.
func (p *Tab) Press(selectors ...string) {
	p.Helper()
	for _, s := range selectors {
		p.Do(chromedp.WaitVisible(chromedp.CSS(s)))
		p.Eval(fmt.Sprintf("document.querySelector(%q).click(); ''", s))
	}
}

// Text returns the visible text of an element, once it is visible.
func (p *Tab) Text(selector string) string {
	p.Helper()
	p.Do(chromedp.WaitVisible(chromedp.CSS(selector)))
	return strings.TrimSpace(p.Eval(fmt.Sprintf("document.querySelector(%q).innerText", selector)))
}

// Eval returns the value of a script, a string.
func (p *Tab) Eval(script string) string {
	p.Helper()
	value, err := chromedp.Run(p.Ctx, chromedp.Evaluate[string](script))
	if err != nil {
		p.Fatal(script, err)
	}
	return value
}

// Want evaluates a script, a string, and compares.
func (p *Tab) Want(script, want string) {
	p.Helper()
	if got := p.Eval(script); got != want {
		p.Errorf("%s is %q, want %q", script, got, want)
	}
}

// WaitFor waits until an expression is true.
func (p *Tab) WaitFor(expression string) {
	p.Helper()
	if _, err := chromedp.Run(p.Ctx, chromedp.Poll[bool](expression)); err != nil {
		p.Fatal(expression, ": ", err)
	}
}

// ColorScheme makes the system prefer a colour scheme: "light" or "dark".
func (p *Tab) ColorScheme(scheme string) {
	p.Helper()
	_, err := chromedp.Call(p.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		p.Fatal(err)
	}
}

// Screenshot writes a picture of the whole page to the directory ARTIFACTS_DIR. It does
// nothing where that is not set.
func (p *Tab) Screenshot(name string) {
	p.Helper()
	directory := os.Getenv("ARTIFACTS_DIR")
	if directory == "" {
		return
	}
	picture, err := chromedp.Run(p.Ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, name), picture, 0o600); err != nil {
		p.Fatal(err)
	}
}
