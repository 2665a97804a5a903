package proxy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// bench is a facade that records a site, or replays what was recorded of one.
type bench struct {
	*testing.T
	dir    string
	base   string // of the facade's namespace
	legacy string // the URL of the site that is recorded
	making *proxy.Recording
	log    records
}

// recordSite serves a facade that records a site at legacy.
func recordSite(t *testing.T, legacy http.Handler, change func(*proxy.RecordingOptions)) *bench {
	t.Helper()
	site := httptest.NewServer(legacy)
	t.Cleanup(site.Close)
	b := &bench{T: t, dir: filepath.Join(t.TempDir(), "recording"), legacy: site.URL}
	o := proxy.RecordingOptions{Dir: b.dir, Backends: oneRoot(site.URL + "/wp-json"), MaxBody: 1 << 20, Log: b.log.logger()}
	if change != nil {
		change(&o)
	}
	var err error
	if b.making, err = proxy.OpenRecording(o); err != nil {
		t.Fatal(err)
	}
	b.base = facadeAt(t, site.URL, func(o *proxy.Options) {
		o.Cookies = true
		o.Upstream.Wrap, o.Upstream.MaxBody = b.making.Wrap, 1<<20
	})
	return b
}

func oneRoot(url string) []proxy.RecordedBackend {
	return []proxy.RecordedBackend{{
		Name: proxy.LegacyName, Namespace: "tribe/events/v1", LanguageParam: "wpml_language",
		Roots: []proxy.RecordedRoot{{Language: "en", URL: url}},
	}}
}

// replay serves a facade on what was recorded, with a network that must not be
// used. Its root is the recording's, as whoever replays has to see to.
func (b *bench) replay() *bench {
	b.Helper()
	r := &bench{T: b.T, dir: b.dir}
	replay, err := proxy.OpenReplay(b.dir, r.log.logger())
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(proxy.New(proxy.Options{
		PublicURL:   publicURL,
		Cookies:     true,
		UpdatesAsIs: true, // one call each
		Site:        i18n.Site{{Code: "en", Root: "/wp-json", Upstream: replay.Backend(proxy.LegacyName).Root("en")}},
		Legacy:      proxy.LegacyOptions{Namespace: "tribe/events/v1", LanguageParam: "wpml_language"},
		Upstream:    upstream.Options{Retries: 2, Breaker: upstream.BreakerOptions{Percent: 1, Calls: 1}, Wrap: func(http.RoundTripper) http.RoundTripper { return replay.Wrap(unused{b.T}) }},
	}))
	b.Cleanup(front.Close)
	r.base = front.URL + "/wp-json/calendar/events/v1"
	return r
}

// unused is a transport that must not be used.
type unused struct{ t *testing.T }

// RoundTrip implements [http.RoundTripper].
func (u unused) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("a connection would be made: %s %s", r.Method, r.URL)
	return nil, errors.New("no network")
}

// get gives status and body of an answer.
func (b *bench) get(method, path, body string, change ...func(*http.Request)) (int, string) {
	b.Helper()
	r := request(b.T, method, b.base+path, body)
	for _, c := range change {
		c(r)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
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

// files gives the names and contents of a recording's files.
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

// backends are those that the recording tells of.
func (b *bench) backends() []proxy.RecordedBackend {
	b.Helper()
	var site proxy.RecordedSite
	if err := json.Unmarshal([]byte(b.files()["recording.json"]), &site); err != nil {
		b.Fatal(err)
	}
	return site.Backends
}

const canary = "opensesame"

// secretly asks in every way that has a secret in it.
func secretly(b *bench) {
	basic := func(r *http.Request) { r.SetBasicAuth("u", canary) }
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+canary) }
	cookie := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "wordpress_logged_in_x", Value: canary})
		r.Header.Set("X-WP-Nonce", canary)
	}
	b.get("GET", "/events/1", "", basic)
	b.get("GET", "/events/2", "", bearer)
	b.get("GET", "/events/3", "", cookie)
	b.get("GET", "/events/4?password="+canary, "")
	b.get("GET", "/events/4?_wpnonce="+canary, "", func(r *http.Request) { r.Header.Set("Authorization", canary) })
	b.get("DELETE", "/events/5?password="+canary, "")
	b.get("PUT", "/events/6?password="+canary, `{"title":"T"}`)
}

// TestRecordingHoldsNoSecret: neither what a client is known by, nor a password,
// nor what the site makes of them is in a file, whatever the site answers.
func TestRecordingHoldsNoSecret(t *testing.T) {
	plain := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"id":5}`) }
	for name, test := range map[string]struct {
		site    http.HandlerFunc
		private bool
		want    proxy.RecordingCounts
	}{
		"public alone": {plain, false, proxy.RecordingCounts{Private: 7}},
		"private too":  {plain, true, proxy.RecordingCounts{Kept: 7}},
		"sets a cookie and a nonce": {func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "x", Value: canary})
			w.Header().Set("X-WP-Nonce", canary)
			w.Header().Set("X-Debug", canary)
			plain(w, r)
		}, true, proxy.RecordingCounts{Kept: 7}},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://u:"+canary+"@other.example/x?token="+canary+"#"+canary)
			w.WriteHeader(http.StatusFound)
		}, true, proxy.RecordingCounts{Kept: 7}},
		"repeats the request": {func(w http.ResponseWriter, r *http.Request) {
			dump, err := httputil.DumpRequest(r, true)
			if err != nil {
				t.Error(err)
			}
			_ = json.NewEncoder(w).Encode(map[string]string{"debug": string(dump)})
		}, true, proxy.RecordingCounts{Private: 7}},
		"repeats the password in a header": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", canary)
			plain(w, r)
		}, true, proxy.RecordingCounts{Private: 7}},
	} {
		t.Run(name, func(t *testing.T) {
			b := recordSite(t, test.site, func(o *proxy.RecordingOptions) { o.Private = test.private })
			secretly(b)
			if diff := cmp.Diff(test.want, b.making.Close()); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			for file, text := range b.files() {
				for _, secret := range []string{canary, "dTpvcGVuc2VzYW1l", "Authorization", "Cookie:", "Nonce"} {
					if strings.Contains(file+text, secret) {
						t.Errorf("%s holds %s:\n%s", file, secret, text)
					}
				}
			}
		})
	}
}

// TestRecordingNames: a file can be found by its name, and tells no host.
func TestRecordingNames(t *testing.T) {
	b := recordSite(t, answer(200, `{"id":5}`), nil)
	for _, path := range []string{"/events?per_page=3&page=2", "/venues/5", "/events/by-slug/caf%C3%A9"} {
		b.get("GET", path, "")
	}
	b.get("POST", "/tags", `{"name":"N"}`)
	b.making.Close()
	var got []string
	for file := range b.files() {
		name, _, _ := strings.Cut(filepath.Base(file), ".json")
		parts := strings.Split(name, ".")
		if len(parts) == 4 && filepath.Dir(file) != parts[3][:2] {
			t.Errorf("%s is in the wrong directory", file)
		}
		got = append(got, strings.Join(parts[:min(3, len(parts))], "."))
	}
	want := []string{"en.GET.events", "en.GET.events", "en.GET.venues", "en.POST.tags", "recording"}
	sortStrings := cmp.Transformer("sorted", sorted)
	if diff := cmp.Diff(want, got, sortStrings); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestRecordingIsReplayed holds what is said of bodies, calls that are the same,
// credentials, and HEAD.
func TestRecordingIsReplayed(t *testing.T) {
	var calls int
	b := recordSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.Header().Set("X-Tec-Total", "7")
		_, _ = fmt.Fprintf(w, `{"id":5,"title":"%s <b>\u00e9 / \/ & %d"}`, r.Method, calls)
	}), func(o *proxy.RecordingOptions) { o.Private = true })
	anybody := func(*http.Request) {}
	signedIn := func(r *http.Request) { r.SetBasicAuth("u", canary) }
	first := func(status int, body string) string { return fmt.Sprint(status, " ", body) }
	b.get("GET", "/events/5", "")
	want := map[string]string{
		"GET /events/5":   first(b.get("GET", "/events/5", "", signedIn)), // the latest
		"PUT /events/5 A": first(b.get("PUT", "/events/5", `{"title":"A"}`)),
		"PUT /events/5 B": first(b.get("PUT", "/events/5", `{"title":"B"}`)),
	}
	if n := b.making.Close(); n != (proxy.RecordingCounts{Kept: 4}) {
		t.Errorf("%+v", n)
	}
	r := b.replay()
	for _, who := range []func(*http.Request){anybody, signedIn} {
		got := map[string]string{
			"GET /events/5":   first(r.get("GET", "/events/5", "", who)),
			"PUT /events/5 A": first(r.get("PUT", "/events/5", `{"title":"A"}`, who)),
			"PUT /events/5 B": first(r.get("PUT", "/events/5?password="+canary, `{"title":"B"}`, who)),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-site +recording:\n%s", diff)
		}
		if got := first(r.get("HEAD", "/events/5", "", who)); got != "200 " {
			t.Errorf("HEAD: %s", got)
		}
	}
	if got := first(r.get("GET", "/events/5?password="+canary, "")); got != want["GET /events/5"] {
		t.Errorf("with a password: %s", got)
	}
}

// TestReplayMiss: what was not recorded is told to the client and in the log. It
// is not tried again, opens no breaker, and has no secret.
func TestReplayMiss(t *testing.T) {
	b := recordSite(t, answer(200, `{"id":5}`), nil)
	b.get("GET", "/events/5", "")
	b.making.Close()
	r := b.replay()
	for i, test := range []struct{ method, path, body, call string }{
		{"GET", "/events/6?password=" + canary, "", "GET /tribe/events/v1/events/6"},
		{"HEAD", "/events/7", "", "GET /tribe/events/v1/events/7"},
		{"GET", "/events?per_page=2&page=3", "", "GET /tribe/events/v1/events?page=3&per_page=2"},
		{"PUT", "/events/5", `{"title":"` + canary + `"}`, "PUT /tribe/events/v1/events/5"},
	} {
		status, body := r.get(test.method, test.path, test.body)
		if status != http.StatusBadGateway || test.method != "HEAD" && !strings.HasPrefix(body, `{"code":"calendar_not_recorded","message":"The calendar answers from a recording`) {
			t.Errorf("%s %s: %d %s", test.method, test.path, status, body)
		}
		log := r.log.wait(t, i+1)
		if len(log) != i+1 {
			t.Fatalf("%d records, want %d: %v", len(log), i+1, log)
		}
		got := log[i]
		if file := fmt.Sprint(got["file"]); !strings.Contains(file, "/en."+strings.Replace(test.method, "HEAD", "GET", 1)+".events.") {
			t.Errorf("file %s", file)
		}
		delete(got, "file")
		if diff := cmp.Diff(map[string]any{"dir": b.dir, "root": "en", "call": test.call}, got); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
	if status, body := r.get("GET", "/events/5", ""); status != http.StatusOK {
		t.Errorf("what was recorded: %d %s", status, body)
	}
}

// TestReplayKeepsOutOfTheCache: an answer that came with a cookie goes on being
// one that is not shared, without the cookie.
func TestReplayKeepsOutOfTheCache(t *testing.T) {
	b := recordSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "x", Value: "y"})
		_, _ = io.WriteString(w, `{"id":5}`)
	}), nil)
	b.get("GET", "/events/5", "")
	b.making.Close()
	replay, err := proxy.OpenReplay(b.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, "GET", replay.Backend(proxy.LegacyName).Root("en")+"/tribe/events/v1/events/5", "")
	res, err := replay.Wrap(nil).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if diff := cmp.Diff(http.Header{"Set-Cookie": {""}}, res.Header); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestReplayOfSurplusText: text around the JSON is recorded, and left out again.
func TestReplayOfSurplusText(t *testing.T) {
	b := recordSite(t, with(answer(200, "\ufeff"+`{"id":5}`), "Content-Type", "application/json"), nil)
	b.get("GET", "/events/5", "")
	b.making.Close()
	if status, body := b.replay().get("GET", "/events/5", ""); status != http.StatusOK || body != `{"id":5}` {
		t.Errorf("got %d %s", status, body)
	}
}

// TestRecordingOfWhatBreaks: an answer that was not read to its end is none.
func TestRecordingOfWhatBreaks(t *testing.T) {
	b := recordSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/1") {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"id":`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = fmt.Fprintf(w, `{"title":%q}`, strings.Repeat("x", 2<<20))
	}), nil)
	for _, path := range []string{"/events/1", "/events/2"} {
		if status, _ := b.get("GET", path, ""); status != http.StatusBadGateway {
			t.Errorf("%s: status %d", path, status)
		}
	}
	if n := b.making.Close(); n != (proxy.RecordingCounts{Broken: 2}) {
		t.Errorf("%+v", n)
	}
}

// TestRecordingMaxBody: a body that is too large for the recording passes whole.
func TestRecordingMaxBody(t *testing.T) {
	made, err := proxy.OpenRecording(proxy.RecordingOptions{
		Dir: filepath.Join(t.TempDir(), "recording"), Backends: oneRoot("https://legacy.example"), MaxBody: 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"https://legacy.example/" + strings.Repeat("x", 5), "https://legacy.example/" + strings.Repeat("x", 6)} {
		if got := tell(t, made.Wrap(saying{}), url); got != fmt.Sprintf("%q", url) {
			t.Errorf("%s: %s", url, got)
		}
	}
	if n := made.Close(); n != (proxy.RecordingCounts{Kept: 1, Broken: 1}) {
		t.Errorf("%+v", n)
	}
}

// TestRecordingLimits: a full recording says so once, and keeps what it has up to
// date.
func TestRecordingLimits(t *testing.T) {
	for name, limit := range map[string]func(*proxy.RecordingOptions){
		"calls": func(o *proxy.RecordingOptions) { o.MaxCalls = 2 },
		"bytes": func(o *proxy.RecordingOptions) { o.MaxBytes = 400 },
	} {
		t.Run(name, func(t *testing.T) {
			b := recordSite(t, answer(200, `{"id":5,"title":"`+strings.Repeat("x", 20)+`"}`), limit)
			for _, path := range []string{"/events/1", "/events/2", "/events/3", "/events/4", "/events/1"} {
				if status, body := b.get("GET", path, ""); status != http.StatusOK {
					t.Errorf("%s: %d %s", path, status, body)
				}
			}
			if n := b.making.Close(); n != (proxy.RecordingCounts{Kept: 3, Beyond: 2}) {
				t.Errorf("%+v", n)
			}
			if n := len(b.files()); n != 3 {
				t.Errorf("%d files", n)
			}
			if log := b.log.wait(t, 1); len(log) != 1 || log[0]["calls"] != int64(2) {
				t.Errorf("log: %v", log)
			}
		})
	}
}

// TestRecordingFails: a disk that takes nothing more costs the recording and not
// the answers, and no half of a file stays.
func TestRecordingFails(t *testing.T) {
	b := recordSite(t, answer(200, `{"id":5}`), nil)
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/events/1", "/events/2"} {
		if status, body := b.get("GET", path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if n := b.making.Close(); n != (proxy.RecordingCounts{Failed: 2}) {
		t.Errorf("%+v", n)
	}
	if log := b.log.wait(t, 1); len(log) != 1 || !strings.Contains(fmt.Sprint(log[0]["error"]), "not a directory") {
		t.Errorf("log: %v", log)
	}
}

// TestRecordingReplacesWhole: who reads a file while it is replaced goes on reading
// the one that was there.
func TestRecordingReplacesWhole(t *testing.T) {
	titles := make(chan string, 2)
	titles <- "before"
	titles <- "after"
	b := recordSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"id":5,"title":%q}`, <-titles)
	}), nil)
	b.get("GET", "/events/5", "")
	b.making.Close()
	var name string
	for file := range b.files() {
		if file != "recording.json" {
			name = filepath.Join(b.dir, file)
		}
	}
	read, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	again := openRecording(t, b.dir, b.backends())
	b.base = facadeAt(t, strings.TrimSuffix(b.backends()[0].Root("en"), "/wp-json"), func(o *proxy.Options) { o.Upstream.Wrap = again.Wrap })
	b.get("GET", "/events/5", "")
	again.Close()
	old, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	now, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(old), `"before"`) || !strings.Contains(string(now), `"after"`) {
		t.Errorf("was %s, is %s", old, now)
	}
}

// TestRecordingAtOnce: answers that come together are all kept, and each whole.
func TestRecordingAtOnce(t *testing.T) {
	b := recordSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}), nil)
	const clients, items = 8, 25
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for i := range items {
				res, err := http.Get(fmt.Sprint(b.base, "/events/", i+1))
				if err != nil {
					t.Error(err)
					return
				}
				res.Body.Close()
			}
		})
	}
	running.Wait()
	if n := b.making.Close(); n != (proxy.RecordingCounts{Kept: clients * items}) {
		t.Errorf("%+v", n)
	}
	replay, err := proxy.OpenReplay(b.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if replay.Len() != items {
		t.Errorf("%d calls, want %d", replay.Len(), items)
	}
}

// TestOpenRecording: what a recording may be made in.
func TestOpenRecording(t *testing.T) {
	site := oneRoot("https://legacy.example/wp-json")
	for name, test := range map[string]struct {
		prepare func(t *testing.T, dir string)
		want    string // "" for no error
	}{
		"not there":       {func(*testing.T, string) {}, ""},
		"empty":           {func(t *testing.T, dir string) { makeDir(t, dir) }, ""},
		"does not show":   {func(t *testing.T, dir string) { write(t, dir, ".tmp-123", "half"); write(t, dir, ".git/x", "") }, ""},
		"the same site":   {func(t *testing.T, dir string) { openRecording(t, dir, site).Close() }, ""},
		"another site":    {func(t *testing.T, dir string) { openRecording(t, dir, oneRoot("https://other.example")).Close() }, "is a recording of other backends"},
		"somebody else's": {func(t *testing.T, dir string) { write(t, dir, "thesis.txt", "") }, "is not empty, and no recording"},
		"a file":          {func(t *testing.T, dir string) { write(t, filepath.Dir(dir), filepath.Base(dir), "") }, "not a directory"},
		"below a file":    {func(t *testing.T, dir string) { write(t, filepath.Dir(filepath.Dir(dir)), "a", "") }, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			test.prepare(t, dir)
			r, err := proxy.OpenRecording(proxy.RecordingOptions{Dir: dir, Backends: site})
			if err == nil {
				r.Close()
			}
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
					t.Errorf("mode %v, %v", info.Mode(), err)
				}
				if _, err := os.Stat(filepath.Join(dir, ".tmp-123")); err == nil {
					t.Error("what was being written is still there")
				}
			} else if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func openRecording(t *testing.T, dir string, backends []proxy.RecordedBackend) *proxy.Recording {
	t.Helper()
	r, err := proxy.OpenRecording(proxy.RecordingOptions{Dir: dir, Backends: backends})
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

// TestRecordingGoesOn: a second recording adds to the first and counts it.
func TestRecordingGoesOn(t *testing.T) {
	b := recordSite(t, answer(200, `{"id":5}`), nil)
	b.get("GET", "/events/1", "")
	b.making.Close()
	about := b.files()["recording.json"]
	again, err := proxy.OpenRecording(proxy.RecordingOptions{Dir: b.dir, Backends: b.backends(), MaxCalls: 2})
	if err != nil {
		t.Fatal(err)
	}
	root := b.backends()[0].Root("en")
	b.base = facadeAt(t, strings.TrimSuffix(root, "/wp-json"), func(o *proxy.Options) { o.Upstream.Wrap = again.Wrap })
	for _, path := range []string{"/events/2", "/events/3"} {
		b.get("GET", path, "")
	}
	if n := again.Close(); n != (proxy.RecordingCounts{Kept: 1, Beyond: 1}) {
		t.Errorf("%+v", n)
	}
	if got := b.files()["recording.json"]; got != about {
		t.Errorf("recording.json was %s and is %s", about, got)
	}
}

// TestOpenReplay: a recording that is not whole is refused, and all that is wrong
// with it is told.
func TestOpenReplay(t *testing.T) {
	b := recordSite(t, answer(200, `{"id":5}`), nil)
	b.get("GET", "/events/5", "")
	b.making.Close()
	var good string
	for file := range b.files() {
		if file != "recording.json" {
			good = file
		}
	}
	text := b.files()[good]
	about := b.files()["recording.json"]
	for name, test := range map[string]struct {
		change map[string]string // files; "" removes one
		want   []string          // nil for no error
	}{
		"whole":              {nil, nil},
		"hidden files":       {map[string]string{".git/HEAD": "x", "aa/.tmp-1": "x"}, nil},
		"a body edited":      {map[string]string{good: strings.Replace(text, `"id": 5`, `"id": 6`, 1)}, nil},
		"no recording":       {map[string]string{"recording.json": ""}, []string{"is no recording: there is no recording.json"}},
		"newer":              {map[string]string{"recording.json": `{"version":2,"new":true}`}, []string{"recording.json: version 2 was made by a newer calfacade; this one reads up to 1"}},
		"no version":         {map[string]string{"recording.json": strings.Replace(about, `"version": 1`, `"version": 0`, 1)}, []string{"there is no version"}},
		"no roots":           {map[string]string{"recording.json": `{"version":1,"backends":[]}`}, []string{"there are no roots"}},
		"about is damaged":   {map[string]string{"recording.json": about[:20]}, []string{"recording.json: unexpected end of JSON input"}},
		"about knows more":   {map[string]string{"recording.json": strings.Replace(about, `"made"`, `"mode"`, 1)}, []string{`unknown field "mode"`}},
		"damaged, all told":  {map[string]string{good: text[:len(text)/2], "aa/en.GET.x.json": "{}", "notes.txt": "hi"}, []string{good + ": unexpected EOF", "aa/en.GET.x.json: it holds another call", "notes.txt: invalid character"}},
		"another call":       {map[string]string{good: strings.Replace(text, "events/5", "events/6", 1)}, []string{good + ": it holds another call than its name says"}},
		"two values":         {map[string]string{good: text + "{}"}, []string{"something follows the value"}},
		"a field of its own": {map[string]string{good: strings.Replace(text, "{", `{"x":1,`, 1)}, []string{`unknown field "x"`}},
		"a foreign header":   {map[string]string{good: strings.Replace(text, `"status"`, `"header":{"X-Evil":["1"]},"status"`, 1)}, []string{`no header field "X-Evil"`}},
		"no status":          {map[string]string{good: strings.Replace(text, `"status": 200`, `"status": 20`, 1)}, []string{"20 is no status"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{good: text, "recording.json": about} {
				write(t, dir, file, text)
			}
			for file, text := range test.change {
				write(t, dir, file, text)
				if text == "" {
					if err := os.Remove(filepath.Join(dir, file)); err != nil {
						t.Fatal(err)
					}
				}
			}
			_, err := proxy.OpenReplay(dir, nil)
			if test.want == nil && err != nil {
				t.Error(err)
			}
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v\nwant %s", err, want)
				}
			}
		})
	}
}

// TestOpenReplayTellsNotEverything: a directory of another kind is no flood.
func TestOpenReplayTellsNotEverything(t *testing.T) {
	dir := t.TempDir()
	openRecording(t, dir, oneRoot("https://legacy.example/wp-json")).Close()
	for i := range 100 {
		write(t, dir, fmt.Sprintf("photo%d.jpg", i), "x")
	}
	_, err := proxy.OpenReplay(dir, nil)
	if err == nil || strings.Count(err.Error(), "\n") != 10 || !strings.HasSuffix(err.Error(), "and 90 more files") {
		t.Errorf("got %v", err)
	}
}

// TestRecordingRoots: roots are told apart by their URLs, backends among them,
// and named by language and backend.
func TestRecordingRoots(t *testing.T) {
	backends := []proxy.RecordedBackend{
		{Name: "legacy", Namespace: "tribe/events/v1", Roots: []proxy.RecordedRoot{
			{Language: "en", URL: "https://legacy.example"}, {Language: "es", URL: "https://legacy.example/es"}, {Language: "de", URL: "https://legacy.example"},
		}},
		{Name: "new", Namespace: "calendar/events/v1", Roots: []proxy.RecordedRoot{{Language: "en", URL: "https://new.example:/api"}}},
	}
	dir := filepath.Join(t.TempDir(), "recording")
	made := openRecording(t, dir, backends)
	site := made.Wrap(saying{})
	urls := []string{
		"https://legacy.example/tribe/events/v1/events", "https://legacy.example/es/tribe/events/v1/events",
		"https://new.example/api/calendar/events/v1/events", "https://legacy.example/", "https://legacy.example/estate",
	}
	for _, url := range append(urls, "https://elsewhere.example/", "https://new.example/apis/x") {
		tell(t, site, url)
	}
	if n := made.Close(); n != (proxy.RecordingCounts{Kept: 5, Foreign: 2}) {
		t.Errorf("%+v", n)
	}
	replay := replayOf(t, dir, urls)
	if got := tell(t, replay.Wrap(unused{t}), "https://elsewhere.example/"); got != "the recording holds no answer to this call" {
		t.Errorf("elsewhere: %s", got)
	}
	var roots []string
	for file := range (&bench{T: t, dir: dir}).files() {
		name, _, _ := strings.Cut(filepath.Base(file), ".GET.")
		roots = append(roots, name)
	}
	if diff := cmp.Diff([]string{"en", "en", "en", "es", "new.en", "recording.json"}, sorted(roots)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// replayOf opens a recording that has an answer to each of the URLs.
func replayOf(t *testing.T, dir string, urls []string) *proxy.Replay {
	t.Helper()
	replay, err := proxy.OpenReplay(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		if got := tell(t, replay.Wrap(unused{t}), url); got != fmt.Sprintf("%q", url) {
			t.Errorf("%s: %s", url, got)
		}
	}
	return replay
}

// TestRecordingOfPlainPermalinks: calls to a site whose routes are parameters are told
// apart by route and parameters, in any order, and no secret of them is kept.
func TestRecordingOfPlainPermalinks(t *testing.T) {
	const root = "https://legacy.example/index.php?rest_route="
	dir := filepath.Join(t.TempDir(), "recording")
	made := openRecording(t, dir, append(oneRoot(root), proxy.RecordedBackend{
		Name: "es", Roots: []proxy.RecordedRoot{{Language: "es", URL: "https://legacy.example/es/index.php?rest_route="}},
	}))
	site := made.Wrap(saying{})
	urls := []string{
		root + "/tribe/events/v1/events&page=2&per_page=5", root + "/tribe/events/v1/events", root + "/",
		"https://legacy.example/es/index.php?rest_route=/tribe/events/v1/events",
	}
	for _, url := range append(urls, root+"/tribe/events/v1/events/5&password=opensesame", "https://legacy.example/index.php/?rest_route=/x", "https://legacy.example/wp-json/x") {
		tell(t, site, url)
	}
	if n := made.Close(); n != (proxy.RecordingCounts{Kept: 4, Private: 1, Foreign: 2}) {
		t.Errorf("%+v", n)
	}
	replay := replayOf(t, dir, urls)
	if got := tell(t, replay.Wrap(unused{t}), root+"/tribe/events/v1/events&per_page=5&page=2"); got != fmt.Sprintf("%q", urls[0]) {
		t.Errorf("in another order: %s", got)
	}
	for file, text := range (&bench{T: t, dir: dir}).files() {
		if strings.Contains(text, `"query"`) && !strings.Contains(text, `"query": "page=2&per_page=5"`) || strings.Contains(text, `"query": "rest_route`) {
			t.Errorf("%s: %s", file, text)
		}
	}
}

// saying answers with the URL that it is asked for.
type saying struct{}

// RoundTrip implements [http.RoundTripper].
func (saying) RoundTrip(r *http.Request) (*http.Response, error) {
	body := fmt.Sprintf("%q", r.URL)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r}, nil
}

// tell gives the body of an answer, or the error.
func tell(t *testing.T, by http.RoundTripper, url string) string {
	t.Helper()
	res, err := by.RoundTrip(request(t, "GET", url, ""))
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
