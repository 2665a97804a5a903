//go:build !race

package report

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// TestReportInABrowser reads the report from its file in Chromium: it filters, runs
// nothing of the sites', loads nothing, fits a phone's screen, and is dark where the
// system is.
func TestReportInABrowser(t *testing.T) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs chromium: ", err)
		}
		t.Skip("no chromium here: ", err)
	}
	dir := t.TempDir()
	if err := someReport().Save(dir); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, program, "file://"+filepath.Join(dir, "report.html"))
	p.want("document.title", "calfacade diff: new")
	p.want("document.getElementById('shown').textContent", "4 of 4")
	p.want("document.querySelector('[name=language]').selectedOptions[0].text", "all")
	for _, step := range []struct{ name, value, shown string }{
		{"language", "es", "2 of 4"},
		{"kind", "value", "1 of 4"},
		{"resource", "venues", "0 of 4"},
		{"kind", "", "1 of 4"},
		{"language", "", "2 of 4"},
		{"path", "[].t", "0 of 4"},
		{"resource", "", "2 of 4"},
		{"path", nasty[:9], "2 of 4"},
	} {
		p.do(chromedp.SetValue(chromedp.CSS("[name="+step.name+"]"), step.value))
		p.eval("document.getElementById('filters').dispatchEvent(new Event('input')), ''")
		p.want("document.getElementById('shown').textContent", step.shown)
		p.want("String([...document.querySelectorAll('article')].filter(a => a.offsetHeight > 0).length)", step.shown[:1])
	}
	p.want("document.querySelector('pre').textContent.slice(0, 10)", nasty[:10])
	p.want("String(document.querySelectorAll('img').length)", "0")
	const background = "getComputedStyle(document.documentElement).backgroundColor"
	p.want(background, "rgb(245, 246, 244)")
	p.screenshot("diff-light.png")
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	}); err != nil {
		t.Fatal(err)
	}
	p.want(background, "rgb(20, 24, 22)")
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.want("String(document.documentElement.scrollWidth)", "390")
	p.screenshot("diff-phone.png")
}

// page is a file in a browser, watched to the end of the test.
type page struct {
	*testing.T
	ctx context.Context
}

func openPage(t *testing.T, program, url string) page {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program)}
	if os.Getuid() == 0 { // in a container; Chromium refuses to sandbox itself there
		options = append(options, chromedp.NoSandbox)
	}
	// Only a test that fails takes that long, and Go kills one after ten.
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(options...))
	t.Cleanup(cancel)
	var mu sync.Mutex
	var wrong []string
	requests := 0
	see := func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			wrong = append(wrong, "exception: "+e.ExceptionDetails.Text)
		case *log.EventEntryAdded: // broken policies among them
			wrong = append(wrong, "log: "+e.Entry.Text+" "+e.Entry.URL)
		case *network.EventRequestWillBeSent:
			if requests++; e.Request.URL != url {
				wrong = append(wrong, "request: "+e.Request.URL)
			}
		}
	}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, see); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range wrong {
			t.Error(s)
		}
		if requests == 0 {
			t.Error("no request was seen")
		}
	})
	p := page{t, ctx}
	p.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("#filters")))
	return p
}

func (p page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

func (p page) eval(script string) string {
	p.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](script))
	if err != nil {
		p.Fatal(script, err)
	}
	return value
}

func (p page) want(script, want string) {
	p.Helper()
	if got := p.eval(script); got != want {
		p.Errorf("%s is %q, want %q", script, got, want)
	}
}

// screenshot keeps how the page looks, where somebody wants to see it.
func (p page) screenshot(name string) {
	p.Helper()
	directory := os.Getenv("ARTIFACTS_DIR")
	if directory == "" {
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, name), picture, 0o644); err != nil {
		p.Fatal(err)
	}
}
