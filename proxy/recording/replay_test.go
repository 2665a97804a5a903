package recording

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// TestReplayIsNotCacheable: a response that set a cookie still does, without its value.
func TestReplayIsNotCacheable(t *testing.T) {
	b := recordSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "x", Value: "y"})
		_, _ = io.WriteString(w, `{"id":5}`)
	}), nil)
	b.get("GET", "/events/5", "")
	replay, err := OpenReplay(b.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, root, err := replay.Root(upstream.LegacyName, "en")
	if err != nil {
		t.Fatal(err)
	}
	r := proxytest.NewRequest(t, "GET", root.URL+"/tribe/events/v1/events/5", "")
	res, err := replay.Wrap(nil).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if diff := cmp.Diff(http.Header{"Set-Cookie": {""}}, res.Header); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestOpenReplay: a damaged recording is refused, and the error lists all problems.
func TestOpenReplay(t *testing.T) {
	b := recordSite(t, respond(`{"id":5}`), nil)
	b.get("GET", "/events/5", "")
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
		"whole":         {nil, nil},
		"hidden files":  {map[string]string{".git/HEAD": "x", "aa/.tmp-1": "x"}, nil},
		"a body edited": {map[string]string{good: strings.Replace(text, `"id": 5`, `"id": 6`, 1)}, nil},
		"no recording":  {map[string]string{"recording.json": ""}, []string{"is not a recording: it has no recording.json"}},
		"newer": {map[string]string{"recording.json": `{"version":2,"new":true}`},
			[]string{"recording.json: version 2 was made by a newer calfacade; this one reads up to 1"}},
		"no version": {map[string]string{"recording.json": strings.Replace(about, `"version": 1`, `"version": 0`, 1)},
			[]string{"it has no version"}},
		"no roots":         {map[string]string{"recording.json": `{"version":1,"backends":[]}`}, []string{"it has no roots"}},
		"about is damaged": {map[string]string{"recording.json": about[:20]}, []string{"recording.json: unexpected end of JSON input"}},
		"unknown member": {map[string]string{"recording.json": strings.Replace(about, `"made"`, `"mode"`, 1)},
			[]string{`unknown object member name "mode"`}},
		"damaged, all named": {map[string]string{good: text[:len(text)/2], "aa/en.GET.x.json": "{}", "notes.txt": "hi"},
			[]string{good + ": jsontext: unexpected EOF within \"/path\"", "aa/en.GET.x.json: its name does not match the call in it",
				"notes.txt: jsontext: invalid character 'h' at start of value"}},
		"another call": {map[string]string{good: strings.Replace(text, "events/5", "events/6", 1)},
			[]string{good + ": its name does not match the call in it"}},
		"two values":    {map[string]string{good: text + "{}"}, []string{"invalid character '{' after top-level value"}},
		"unknown field": {map[string]string{good: strings.Replace(text, "{", `{"x":1,`, 1)}, []string{`unknown object member name "x"`}},
		"no status": {map[string]string{good: strings.Replace(text, `"status": 200`, `"status": 20`, 1)},
			[]string{"20 is not the status"}},
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
			_, err := OpenReplay(dir, nil)
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

// TestOpenReplayNamesFewFiles: an error about many files is short.
func TestOpenReplayNamesFewFiles(t *testing.T) {
	dir := t.TempDir()
	openRecording(t, dir, oneRoot("https://legacy.example/wp-json"))
	for i := range 100 {
		write(t, dir, fmt.Sprintf("photo%d.jpg", i), "x")
	}
	_, err := OpenReplay(dir, nil)
	if err == nil || strings.Count(err.Error(), "\n") != 10 || !strings.HasSuffix(err.Error(), "there may be more such files") {
		t.Errorf("got %v", err)
	}
}

// TestRoots: roots, of all backends, are matched by URL and named by language and backend.
func TestRoots(t *testing.T) {
	backends := []Backend{
		{Name: "legacy", Namespace: "tribe/events/v1", Roots: []Root{
			{Language: "en", URL: "https://legacy.example"}, {Language: "es", URL: "https://legacy.example/es"}, {Language: "de",
				URL: "https://legacy.example"},
		}},
		{Name: "new", Namespace: "calendar/events/v1", Roots: []Root{{Language: "en", URL: "https://new.example:/api"}}},
	}
	dir := filepath.Join(t.TempDir(), "recording")
	recorder := openRecording(t, dir, backends)
	site := recorder.Wrap(echo{})
	urls := []string{
		"https://legacy.example/tribe/events/v1/events", "https://legacy.example/es/tribe/events/v1/events",
		"https://new.example/api/calendar/events/v1/events", "https://legacy.example/", "https://legacy.example/estate",
	}
	for _, url := range append(urls, "https://elsewhere.example/", "https://new.example/apis/x") {
		fetch(t, site, url)
	}
	if n := recorder.Counts(); n != (Counts{Kept: 5, Foreign: 2}) {
		t.Errorf("%+v", n)
	}
	replay := replayOf(t, dir, urls)
	if got := fetch(t, replay.Wrap(proxytest.Unused(t)),
		"https://elsewhere.example/"); got != "the recording has no response to this call" {
		t.Errorf("elsewhere: %s", got)
	}
	var roots []string
	for file := range (&bench{T: t, dir: dir}).files() {
		name, _, _ := strings.Cut(filepath.Base(file), ".GET.")
		roots = append(roots, name)
	}
	if diff := cmp.Diff([]string{"en", "en", "en", "es", "new.en", "recording.json"}, slices.Sorted(slices.Values(roots))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// replayOf opens a recording that has a response to each of the URLs.
func replayOf(t *testing.T, dir string, urls []string) *Replay {
	t.Helper()
	replay, err := OpenReplay(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		if got := fetch(t, replay.Wrap(proxytest.Unused(t)), url); got != fmt.Sprintf("%q", url) {
			t.Errorf("%s: %s", url, got)
		}
	}
	return replay
}

// TestPlainPermalinks: calls to a site with routes as parameters are identified by route
// and parameters, in any order, without secrets.
func TestPlainPermalinks(t *testing.T) {
	const root = "https://legacy.example/index.php?rest_route="
	dir := filepath.Join(t.TempDir(), "recording")
	recorder := openRecording(t, dir, append(oneRoot(root), Backend{
		Name: "es", Roots: []Root{{Language: "es", URL: "https://legacy.example/es/index.php?rest_route="}},
	}))
	site := recorder.Wrap(echo{})
	urls := []string{
		root + "/tribe/events/v1/events&page=2&per_page=5", root + "/tribe/events/v1/events", root + "/",
		"https://legacy.example/es/index.php?rest_route=/tribe/events/v1/events",
	}
	for _, url := range append(urls, root+"/tribe/events/v1/events/5&password=opensesame",
		"https://legacy.example/index.php/?rest_route=/x", "https://legacy.example/wp-json/x") {
		fetch(t, site, url)
	}
	if n := recorder.Counts(); n != (Counts{Kept: 4, Private: 1, Foreign: 2}) {
		t.Errorf("%+v", n)
	}
	replay := replayOf(t, dir, urls)
	if got := fetch(t, replay.Wrap(proxytest.Unused(t)), root+"/tribe/events/v1/events&per_page=5&page=2"); got != fmt.Sprintf("%q",
		urls[0]) {
		t.Errorf("in another order: %s", got)
	}
	for file, text := range (&bench{T: t, dir: dir}).files() {
		if strings.Contains(text, `"query"`) && !strings.Contains(text, `"query": "page=2&per_page=5"`) ||
			strings.Contains(text, `"query": "rest_route`) {
			t.Errorf("%s: %s", file, text)
		}
	}
}
