//go:build !race

// Package browsertest drives a real Chromium in tests of the program's pages. A [Tab] fails
// its test where the page throws, breaks its Content-Security-Policy, or loads a file that is not
// its own. Without Chromium tests are skipped, and fail where CI=true.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Browser is a Chromium that runs until the end of a test.
type Browser struct{ ctx context.Context }

// Start starts a browser.
func Start(t *testing.T) *Browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs chromium: ", err)
		}
		t.Skip("no chromium here: ", err)
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program),
		// A page that comes out of the back-forward cache does not load, which going back waits for.
		chromedp.Flag("disable-back-forward-cache", true)}
	if os.Getuid() == 0 { // in a container; Chromium refuses to sandbox itself there
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(options...))
	t.Cleanup(cancel)
	starting(t, "Chromium starts", cancel, func() error { return chromedp.Do(ctx) })
	return &Browser{ctx}
}

// Tab opens an empty tab. What it loads until the end of the test must begin with one of
// origins, each a URL; data URLs are always allowed.
func (b *Browser) Tab(t *testing.T, origins ...string) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	w := &watcher{allowed: origins}
	starting(t, "a tab opens", cancel, func() error { return chromedp.Listen(ctx, w.observe) })
	t.Cleanup(func() { w.report(t) })
	return &Tab{T: t, ctx: ctx}
}
