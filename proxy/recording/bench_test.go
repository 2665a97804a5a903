package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// bench records the calls to a site.
type bench struct {
	*testing.T
	dir    string
	site   string // URL of the site
	making *Recorder
	log    *observer.ObservedLogs // complete once making is closed
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
	if b.making, err = Open(o); err != nil {
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
	res, err := b.making.Wrap(http.DefaultTransport).RoundTrip(newRequest(b.T, method, b.site+"/wp-json/tribe/events/v1"+path, body))
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return res.StatusCode, string(got)
}

func newRequest(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func oneRoot(url string) []Backend {
	return []Backend{{
		Name: upstream.LegacyName, Namespace: "tribe/events/v1", LanguageParam: "wpml_language",
		Roots: []Root{{Language: "en", URL: url}},
	}}
}

// unused is a transport that must not be used.
type unused struct{ t *testing.T }

// RoundTrip implements [http.RoundTripper].
func (u unused) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("a connection would be made: %s %s", r.Method, r.URL)
	return nil, errors.New("no network")
}

// files returns the names and contents of the files of the recording.
func (b *bench) files() map[string]string {
	b.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(b.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(b.dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return all
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
func fetch(t *testing.T, by http.RoundTripper, url string) string {
	t.Helper()
	res, err := by.RoundTrip(newRequest(t, "GET", url, ""))
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
