//go:build !race

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

// Tab is a tab of a browser. Every step that fails or takes too long ends the test, with the
// name of the thing that it waited for.
type Tab struct {
	*testing.T

	ctx context.Context // of chromedp
}

// do carries out a step and returns its result.
func do[T any](p *Tab, s step[T]) T {
	p.Helper()
	result, err := s.within(p.ctx, limit(p.T))
	if err != nil {
		p.Fatal(err)
	}
	return result
}

// Visible waits until elements are visible.
func (p *Tab) Visible(selectors ...string) {
	p.Helper()
	for _, s := range selectors {
		do(p, visible(s))
	}
}

func visible(selector string) step[chromedp.Void] {
	return step[chromedp.Void]{
		name:   selector + " is visible",
		action: chromedp.WaitVisible(chromedp.CSS(selector)),
	}
}

// Text returns the visible text of an element, once it is visible.
func (p *Tab) Text(selector string) string {
	p.Helper()
	p.Visible(selector)
	return strings.TrimSpace(p.Eval(fmt.Sprintf("document.querySelector(%q).innerText", selector)))
}

// Eval returns the value of a script, a string.
func (p *Tab) Eval(script string) string {
	p.Helper()
	return do(p, evaluate(script))
}

// Await returns the string that the promise of a script becomes.
func (p *Tab) Await(script string) string {
	p.Helper()
	return do(p, step[string]{
		name:   script,
		action: chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise),
	})
}

func evaluate(script string) step[string] {
	return step[string]{name: script, action: chromedp.Evaluate[string](script)}
}

// Want evaluates a script, a string, and compares.
func (p *Tab) Want(script, expected string) {
	p.Helper()
	if value := p.Eval(script); value != expected {
		p.Errorf("%s is %q, want %q", script, value, expected)
	}
}

// ColorScheme makes the system prefer a colour scheme: "light" or "dark".
func (p *Tab) ColorScheme(scheme string) {
	p.Helper()
	do(p, step[chromedp.Void]{
		name: "the colour scheme is " + scheme,
		action: chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			})
			return err
		}),
	})
}

// Screenshot writes a picture of the whole page to the directory ARTIFACTS_DIR. It does
// nothing where that is not set.
func (p *Tab) Screenshot(name string) {
	p.Helper()
	directory := os.Getenv("ARTIFACTS_DIR")
	if directory == "" {
		return
	}
	picture := do(p, step[[]byte]{name: "the picture " + name, action: chromedp.FullScreenshot(100)})
	if err := os.WriteFile(filepath.Join(directory, name), picture, 0o600); err != nil {
		p.Fatal(err)
	}
}
