package facadetest

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/recording"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Bench is a facade that records a site or replays a recording. Package recording tests
// the parts that need no facade.
type Bench struct {
	*testing.T
	Dir     string
	Base    string // of the facade's namespace
	Legacy  string // the URL of the site that is recorded
	Making  *recording.Recorder
	Records Records
}

// RecordSite serves a facade that records a site at legacy.
func RecordSite(t *testing.T, legacy http.Handler, change func(*recording.Options)) *Bench {
	t.Helper()
	site := httptest.NewServer(legacy)
	t.Cleanup(site.Close)
	b := &Bench{T: t, Dir: filepath.Join(t.TempDir(), "recording"), Legacy: site.URL}
	o := recording.Options{Dir: b.Dir, Backends: oneRoot(site.URL + "/wp-json"), MaxBody: 1 << 20, Log: b.Records.Logger()}
	if change != nil {
		change(&o)
	}
	var err error
	if b.Making, err = recording.Open(o); err != nil {
		t.Fatal(err)
	}
	b.Base = FacadeAt(t, site.URL, func(o *proxy.Options) {
		o.Cookies = true
		o.Upstream.Wrap = b.Making.Wrap
		o.Upstream.MaxBody = 1 << 20
	})
	return b
}

func oneRoot(url string) []recording.Backend {
	return []recording.Backend{{
		Name: upstream.LegacyName, Namespace: "tribe/events/v1", LanguageParam: "wpml_language",
		Roots: []recording.Root{{Language: "en", URL: url}},
	}}
}

// Replay serves a facade on the recording, with a network that must not be used. Its root is
// the recording's.
func (b *Bench) Replay() *Bench {
	b.Helper()
	r := &Bench{T: b.T, Dir: b.Dir}
	replay, err := recording.OpenReplay(b.Dir, r.Records.Logger())
	if err != nil {
		b.Fatal(err)
	}
	_, root, err := replay.Root(upstream.LegacyName, "en")
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(proxy.New(proxy.Options{
		PublicURL:   PublicURL,
		Cookies:     true,
		UpdatesAsIs: true, // one call each
		Site:        i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: root.URL}},
		Legacy:      proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"}},
		Upstream: upstream.Options{Retries: 2, Breaker: upstream.BreakerOptions{Failures: 1},
			Wrap: func(http.RoundTripper) http.RoundTripper { return replay.Wrap(proxytest.Unused(b)) }},
	}))
	b.Cleanup(front.Close)
	r.Base = front.URL + "/wp-json/calendar/events/v1"
	return r
}

// Get returns status and body of a response.
func (b *Bench) Get(method, path, body string, change ...func(*http.Request)) (int, string) {
	b.Helper()
	r := Request(b.T, method, b.Base+path, body)
	for _, c := range change {
		c(r)
	}
	return proxytest.Fetch(b, http.DefaultTransport, r)
}

// Files returns the contents of the files of the recording, by name.
func (b *Bench) Files() map[string]string {
	b.Helper()
	return proxytest.Files(b, b.Dir)
}
