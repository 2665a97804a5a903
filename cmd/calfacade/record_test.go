package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/recording"
)

// TestRecordedWalk goes through every row and method of the table in every
// language, recording, and then sends the anonymous reads to the recording: without a site,
// and with a configuration that leads elsewhere. Every byte is the same.
func TestRecordedWalk(t *testing.T) {
	site := httptest.NewServer(sim.New(sim.Options{}))
	defer site.Close()
	dir := filepath.Join(t.TempDir(), "recording")
	server := httptest.NewUnstartedServer(nil)
	cfg := config.Demo("http://"+server.Listener.Addr().String(), site.URL)
	cfg.Languages[1].Aliases = []string{"https://www.ejemplo.example"}
	record := recordTo(recording.Options{Dir: dir})
	making, err := record(cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	// A session of its own: the walk changes items that check compares.
	making.begin(t.Context(), tapped(t, cfg, making.wrap))
	making.close()
	if making, err = record(cfg, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	facade := tapped(t, cfg, making.wrap)
	var log notes
	server.Config.Handler = log.wrap(facade)
	server.Start()
	defer server.Close()
	want := tapped(t, cfg, nil).Probe(t.Context())
	processtest.WalkOver(t, cfg, site.URL)
	if len(log.list) < len(processtest.Walked(cfg))*len(mapping.Table) {
		t.Fatalf("%d requests were seen", len(log.list))
	}
	reads := log.anonymous(t, facade)
	making.close()
	site.Close()

	replayed, err := replaying(dir)(cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := config.Demo(cfg.PublicURL, "http://127.0.0.1:1")
	elsewhere.Cache.Redis = config.Secrets{config.NewSecret("redis://127.0.0.1:1")}
	cfg, err = replayed.use(elsewhere)
	if err != nil || cfg.Cache.Redis != nil {
		t.Fatalf("%d Redis servers, %v", len(cfg.Cache.Redis), err)
	}
	if diff := cmp.Diff([]string{"https://www.ejemplo.example"}, cfg.Languages[1].Aliases); diff != "" {
		t.Errorf("aliases (-site +recording):\n%s", diff)
	}
	again := tapped(t, cfg, func(http.RoundTripper) http.RoundTripper { return replayed.wrap(noNetwork{t}) })
	for _, n := range reads {
		n.repeat(t, again)
	}
	if diff := cmp.Diff(want, again.Probe(t.Context())); diff != "" {
		t.Errorf("check (-site +recording):\n%s", diff)
	}
	checkFiles(t, dir, strings.TrimPrefix(site.URL, "http://"))
}

// TestReplayOfBefore: a recording from before check compared lists proves nothing of the
// languages, and nothing is wrong with it. The site's code of a language is read from the
// recording, as its parameter is.
func TestReplayOfBefore(t *testing.T) {
	site := httptest.NewServer(sim.New(sim.Options{Languages: sim.ByParameter}))
	defer site.Close()
	dir := filepath.Join(t.TempDir(), "recording")
	cfg := processtest.MinimalConfig(t)
	cfg.Upstream.LanguageParam = "lang"
	cfg.Languages = []i18n.Language{
		{Code: "en", Upstream: site.URL + "/wp-json", Select: i18n.ByParameter},
		{Code: "es", Upstream: site.URL + "/wp-json", Select: i18n.ByParameter, Tell: "ES"}, // any case is accepted
	}
	making, err := recordTo(recording.Options{Dir: dir})(cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	making.begin(t.Context(), tapped(t, cfg, making.wrap))
	making.close()
	lists := removeFiles(t, dir, "2999-12-31")
	cfg.Languages[1].Tell = ""
	replayed, err := replaying(dir)(cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	if cfg, err = replayed.use(cfg); err != nil || cfg.Languages[1].Tell != "ES" {
		t.Fatalf("got %+v, %v", cfg.Languages, err)
	}
	for _, finding := range tapped(t, cfg, replayed.wrap).Probe(t.Context()) {
		if len(finding.Problems) > 0 || len(finding.Notes) != 1 || !strings.Contains(finding.Notes[0], "recording") || lists == 0 {
			t.Errorf("%s: %d lists removed, problems %q, notes %q", finding.Language, lists, finding.Problems, finding.Notes)
		}
	}
}

// TestReplayOfABackendsWords: the codes of a backend's languages are read from the recording.
func TestReplayOfABackendsWords(t *testing.T) {
	site := httptest.NewServer(sim.New(sim.Options{Languages: sim.ByParameter}))
	defer site.Close()
	dir := filepath.Join(t.TempDir(), "recording")
	cfg := config.Demo("https://api.example.org", site.URL)
	cfg.Backends = []config.Backend{{
		Name: "new", Dialect: tribe.Dialect.Namespace, LanguageParam: "lang", Tell: map[string]string{"es": "ES"},
		Upstreams: map[string]string{"en": site.URL + "/wp-json", "es": site.URL + "/wp-json"},
	}}
	making, err := recordTo(recording.Options{Dir: dir})(cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	making.begin(t.Context(), tapped(t, cfg, making.wrap))
	making.close()
	replayed, err := replaying(dir)(cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Backends[0].Tell = map[string]string{"en": "en_GB", "es": "es_ES"}
	cfg, err = replayed.use(cfg)
	if diff := cmp.Diff(map[string]string{"en": "", "es": "ES"}, cfg.Backends[0].Tell); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	want := map[string]string{"es": "ES"} // no word is the code, and no word is one that a link may name
	if diff := cmp.Diff(want, service.FacadeOptions(cfg, zap.NewNop()).Backends[0].Dialect.Languages); diff != "" {
		t.Errorf("called (-want +got):\n%s", diff)
	}
}

// removeFiles removes the files that hold a text, and counts them.
func removeFiles(t *testing.T, dir, text string) (n int) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(text)) {
			n++
			err = os.Remove(path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func tapped(t *testing.T, c config.Config, wrap func(http.RoundTripper) http.RoundTripper) *proxy.Facade {
	o := service.FacadeOptions(c, zap.NewNop())
	o.Upstream.Wrap = wrap
	f := proxy.New(o)
	t.Cleanup(f.Close)
	return f
}

// noNetwork is a transport that must not be used.
type noNetwork struct{ t *testing.T }

// RoundTrip implements [http.RoundTripper].
func (n noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("a connection would be made: %s %s", r.Method, r.URL)
	return nil, errors.New("no network")
}

// notes are the exchanges of a handler.
type notes struct {
	mu   sync.Mutex
	list []note
}

type note struct {
	method, target string
	request        http.Header
	body           []byte
	got            *httptest.ResponseRecorder
}

func (n *notes) wrap(h http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		entry := note{
			method:  r.Method,
			target:  r.URL.RequestURI(),
			request: r.Header.Clone(),
			body:    body,
			got:     httptest.NewRecorder(),
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(entry.got, r)
		n.mu.Lock()
		n.list = append(n.list, entry)
		n.mu.Unlock()
		maps.Copy(w.Header(), entry.got.Header())
		w.WriteHeader(entry.got.Code)
		_, _ = w.Write(entry.got.Body.Bytes()) // a client that hung up fails its own test
	}
}

// anonymous sends h the reads without credentials and passwords, and returns the exchanges.
func (n *notes) anonymous(t *testing.T, h http.Handler) []note {
	var reads notes
	for _, entry := range n.list {
		if entry.method != http.MethodGet || strings.Contains(entry.target, "password") {
			continue
		}
		r := httptest.NewRequestWithContext(t.Context(), entry.method, entry.target, nil)
		r.Header = entry.request.Clone()
		for _, field := range []string{"Authorization", "Cookie", "X-Wp-Nonce"} {
			r.Header.Del(field)
		}
		reads.wrap(h)(httptest.NewRecorder(), r)
	}
	return reads.list
}

// repeat sends h the same request and compares the responses, except for the id of the request.
func (n note) repeat(t *testing.T, h http.Handler) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), n.method, n.target, bytes.NewReader(n.body))
	r.Header = n.request
	got := httptest.NewRecorder()
	h.ServeHTTP(got, r)
	first := n.got.Header().Clone()
	second := got.Header().Clone()
	first.Del("X-Request-Id")
	second.Del("X-Request-Id")
	if diff := cmp.Diff([]any{n.got.Code, first, n.got.Body.String()}, []any{got.Code, second, got.Body.String()}); diff != "" {
		t.Errorf("%s %s (-site +recording):\n%s", n.method, n.target, diff)
	}
}

// checkFiles holds that a recording has only what it may have, in names of files too.
func checkFiles(t *testing.T, dir, host string) {
	t.Helper()
	secrets := []string{"Authorization", "Set-Cookie"}
	for _, u := range sim.Users {
		secrets = append(secrets, u.Password)
	}
	files := 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]
		if info.Mode().Perm() != mode {
			t.Errorf("%s has the mode %s", file, info.Mode())
		}
		if d.IsDir() {
			return nil
		}
		files++
		if name := filepath.Base(file); strings.Contains(name, host) || strings.HasPrefix(name, ".") {
			t.Errorf("a file is called %s", name)
		}
		data, err := os.ReadFile(file)
		if i := slices.IndexFunc(secrets, func(s string) bool { return bytes.Contains(data, []byte(s)) }); i >= 0 {
			t.Errorf("%s holds %s", file, secrets[i])
		}
		return err
	})
	if err != nil || files < 15*len(processtest.Walked(config.Config{Languages: make([]i18n.Language, 4)})) {
		t.Errorf("%d files, %v", files, err)
	}
}
