//go:build !race

package browsertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestTab(t *testing.T) {
	t.Parallel()
	b := Start(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			_, _ = w.Write([]byte(`<title>first</title><a href="/second">on</a>`))
			return
		}
		_, _ = w.Write([]byte(`<title>second</title><p id="second">here<p id="hidden" hidden>not here`))
	}))
	t.Cleanup(site.Close)
	t.Run("back", func(t *testing.T) { testBack(b.Tab(t, site.URL), site.URL) })
	t.Run("what never comes", func(t *testing.T) { testNever(b.Tab(t, site.URL), site.URL) })
}

// testBack: chromedp waits for a page to load when it goes back, which a page that Chromium
// restores from its back-forward cache never does.
func testBack(p *Tab, site string) {
	p.Open(site)
	p.Press("a")
	p.Visible("#second")
	p.Back()
	p.Want("document.title", "first")
}

// testNever: a step that waits in vain ends, and names its condition. The tab stays usable.
func testNever(p *Tab, site string) {
	p.Open(site+"/second", "#second")
	wantNamed(p, visible("#never"), "#never is visible")
	wantNamed(p, visible("#hidden"), "#hidden is visible")
	wantNamed(p, typed("#never", "a"), "type into #never")
	wantNamed(p, isTrue("document.title === 'never'"), "document.title === 'never'")
	p.Want("document.title", "second")
}

// wantNamed wants a step to fail after its time, with an error that names it.
func wantNamed[T any](p *Tab, s step[T], name string) {
	p.Helper()
	_, err := s.within(p.ctx, 100*time.Millisecond)
	if err == nil || !strings.HasPrefix(err.Error(), "not in 100ms: "+name+": ") {
		p.Errorf("%s: %v", name, err)
	}
}

// TestLimit: a step ends before Go ends the test.
func TestLimit(t *testing.T) {
	for deadline, want := range map[time.Duration]time.Duration{
		time.Hour: stepLimit, time.Minute: time.Minute - margin, margin: 0, 0: 0,
	} {
		if got := limitBefore(deadline); got != want {
			t.Errorf("%v before the deadline: %v, want %v", deadline, got, want)
		}
	}
}
