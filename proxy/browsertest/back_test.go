package browsertest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/calfacade/calfacade/proxy/browsertest"
)

// TestBack: chromedp waits for a page to load when it goes back, which a page that Chromium
// restores from its back-forward cache never does.
func TestBack(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			_, _ = w.Write([]byte(`<title>first</title><a href="/second">on</a>`))
			return
		}
		_, _ = w.Write([]byte(`<title>second</title><p id="second">here`))
	}))
	t.Cleanup(site.Close)
	p := b.Tab(t, site.URL)
	p.Do(chromedp.Navigate(site.URL))
	p.Press("a")
	p.Do(chromedp.WaitVisible(chromedp.CSS("#second")), chromedp.NavigateBack())
	p.Want("document.title", "first")
}
