//go:build !race

package browsertest

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Open loads a page and waits until elements of it are visible.
func (p *Tab) Open(url string, selectors ...string) {
	p.Helper()
	do(p, step[chromedp.Void]{name: "load " + url, action: chromedp.Navigate(url)})
	p.Visible(selectors...)
}

// Back goes back to the previous page and waits until it has loaded.
func (p *Tab) Back() {
	p.Helper()
	do(p, step[chromedp.Void]{name: "load the previous page", action: chromedp.NavigateBack()})
}

// Reload loads the page again.
func (p *Tab) Reload() {
	p.Helper()
	do(p, step[chromedp.Void]{name: "load the page again", action: chromedp.Reload()})
}

// WaitFor waits until an expression is true.
func (p *Tab) WaitFor(expression string) {
	p.Helper()
	do(p, isTrue(expression))
}

func isTrue(expression string) step[bool] {
	return step[bool]{
		name:   expression,
		action: chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(0)),
	}
}

// Press clicks on elements, one after the other, once they are visible. It finds an element
// and clicks it in one script: between two steps a live page may move or replace it.
func (p *Tab) Press(selectors ...string) {
	p.Helper()
	for _, s := range selectors {
		p.Visible(s)
		p.Eval(fmt.Sprintf("document.querySelector(%q).click(); ''", s))
	}
}

// Type types keys into a field, once it is visible.
func (p *Tab) Type(selector, keys string) {
	p.Helper()
	do(p, typed(selector, keys))
}

func typed(selector, keys string) step[chromedp.Void] {
	return step[chromedp.Void]{
		name:   "type into " + selector,
		action: chromedp.SendKeys(chromedp.CSS(selector), keys),
	}
}

// Select gives a field the focus and selects all that it contains.
func (p *Tab) Select(selector string) {
	p.Helper()
	do(p, step[chromedp.Void]{name: "select what is in " + selector, action: chromedp.Steps(
		chromedp.Focus(chromedp.CSS(selector)),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
	)})
}

// Keys presses keys, one after the other, where the focus is.
func (p *Tab) Keys(keys string) {
	p.Helper()
	do(p, step[chromedp.Void]{name: fmt.Sprintf("press %q", keys), action: chromedp.KeyEvent(keys)})
}

// Insert inserts a text where the focus is, as from a clipboard.
func (p *Tab) Insert(text string) {
	p.Helper()
	do(p, step[chromedp.Void]{
		name: "insert " + text,
		action: chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text})
			return err
		}),
	})
}
