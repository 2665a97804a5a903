package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// bench records the calls to a site.
type bench struct {
	*testing.T
	dir      string
	site     string // URL of the site
	recorder *Recorder
	log      *observer.ObservedLogs // complete once recorder is closed
}

// recordSite records the calls of [bench.get] to a site.
func recordSite(t *testing.T, handler http.Handler, change func(*Options)) *bench {
	t.Helper()
	site := httptest.NewServer(handler)
	t.Cleanup(site.Close)
	core, log := observer.New(zap.InfoLevel)
	b := &bench{T: t, dir: filepath.Join(t.TempDir(), "recording"), site: site.URL, log: log}
	o := Options{Dir: b.dir, Backends: oneRoot(site.URL + "/wp-json"), MaxBody: 1 << 20, Log: zap.New(core)}
	if change != nil {
		change(&o)
	}
	var err error
	if b.recorder, err = Open(o); err != nil {
		t.Fatal(err)
	}
	return b
}

// respond is a site with one response to all calls.
func respond(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// get makes a call below the namespace and returns status and body of the response.
func (b *bench) get(method, path, body string) (int, string) {
	b.Helper()
	r := proxytest.NewRequest(b, method, b.site+"/wp-json/tribe/events/v1"+path, body)
	return proxytest.Fetch(b, b.recorder.Wrap(http.DefaultTransport), r)
}

func oneRoot(url string) []Backend {
	return []Backend{{
		Name: upstream.LegacyName, Namespace: "tribe/events/v1", LanguageParam: "wpml_language",
		Roots: []Root{{Language: "en", URL: url}},
	}}
}

// files returns the contents of the files of the recording, by name.
func (b *bench) files() map[string]string {
	b.Helper()
	return proxytest.Files(b, b.dir)
}

// backends returns those in recording.json.
func (b *bench) backends() []Backend {
	b.Helper()
	var site Site
	if err := json.Unmarshal([]byte(b.files()[siteFile]), &site); err != nil {
		b.Fatal(err)
	}
	return site.Backends
}

func openRecording(t *testing.T, dir string, backends []Backend) *Recorder {
	t.Helper()
	r, err := Open(Options{Dir: dir, Backends: backends})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func makeDir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	makeDir(t, filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// echo responds with the URL of the request.
type echo struct{}

// RoundTrip implements [http.RoundTripper].
func (echo) RoundTrip(r *http.Request) (*http.Response, error) {
	body := fmt.Sprintf("%q", r.URL)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r}, nil
}

// fetch returns the body of a response, or the error.
func fetch(t *testing.T, transport http.RoundTripper, url string) string {
	t.Helper()
	res, err := transport.RoundTrip(proxytest.NewRequest(t, "GET", url, ""))
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
