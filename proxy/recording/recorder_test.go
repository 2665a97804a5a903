package recording

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFileNames: a file can be found by its name, which has no host.
func TestFileNames(t *testing.T) {
	b := recordSite(t, respond(`{"id":5}`), nil)
	for _, path := range []string{"/events?per_page=3&page=2", "/venues/5", "/events/by-slug/caf%C3%A9"} {
		b.get("GET", path, "")
	}
	b.get("GET", "/tags", "")
	var got []string
	for file := range b.files() {
		name, _, _ := strings.Cut(filepath.Base(file), ".json")
		parts := strings.Split(name, ".")
		if len(parts) == 4 && filepath.Dir(file) != parts[3][:2] {
			t.Errorf("%s is in the wrong directory", file)
		}
		got = append(got, strings.Join(parts[:min(3, len(parts))], "."))
	}
	want := []string{"en.GET.events", "en.GET.events", "en.GET.venues", "en.GET.tags", "recording"}
	sortStrings := cmp.Transformer("sorted", func(s []string) []string { return slices.Sorted(slices.Values(s)) })
	if diff := cmp.Diff(want, got, sortStrings); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestMaxBody: a body that is too large for the recording reaches the caller complete.
func TestMaxBody(t *testing.T) {
	recorder, err := Open(Options{
		Dir: filepath.Join(t.TempDir(), "recording"), Backends: oneRoot("https://legacy.example"), MaxBody: 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"https://legacy.example/" + strings.Repeat("x", 5), "https://legacy.example/" + strings.Repeat("x", 6)} {
		if got := fetch(t, recorder.Wrap(echo{}), url); got != fmt.Sprintf("%q", url) {
			t.Errorf("%s: %s", url, got)
		}
	}
	if n := recorder.Counts(); n != (Counts{Kept: 1, Broken: 1}) {
		t.Errorf("%+v", n)
	}
}

// TestLimits: a full recording logs that once, and still updates the calls that it has.
func TestLimits(t *testing.T) {
	for name, limit := range map[string]func(*Options){
		"calls": func(o *Options) { o.MaxCalls = 2 },
		"bytes": func(o *Options) { o.MaxBytes = 400 },
	} {
		t.Run(name, func(t *testing.T) {
			b := recordSite(t, respond(`{"id":5,"title":"`+strings.Repeat("x", 20)+`"}`), limit)
			for _, path := range []string{"/events/1", "/events/2", "/events/3", "/events/4", "/events/1"} {
				if status, body := b.get("GET", path, ""); status != http.StatusOK {
					t.Errorf("%s: %d %s", path, status, body)
				}
			}
			if n := b.recorder.Counts(); n != (Counts{Kept: 3, Beyond: 2}) {
				t.Errorf("%+v", n)
			}
			if n := len(b.files()); n != 3 {
				t.Errorf("%d files", n)
			}
			if log := b.log.All(); len(log) != 1 || log[0].ContextMap()["calls"] != int64(2) {
				t.Errorf("log: %v", log)
			}
		})
	}
}

// TestDiskFails: calls succeed while the disk fails, and no partial file remains.
func TestDiskFails(t *testing.T) {
	b := recordSite(t, respond(`{"id":5}`), nil)
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
	if n := b.recorder.Counts(); n != (Counts{Failed: 2}) {
		t.Errorf("%+v", n)
	}
	if log := b.log.All(); len(log) != 1 || !strings.Contains(fmt.Sprint(log[0].ContextMap()["error"]), "not a directory") {
		t.Errorf("log: %v", log)
	}
}

// TestReplaceIsAtomic: a process that reads a file while it is replaced reads the previous
// one to its end.
func TestReplaceIsAtomic(t *testing.T) {
	titles := make(chan string, 2)
	titles <- "before"
	titles <- "after"
	b := recordSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"id":5,"title":%q}`, <-titles)
	}), nil)
	b.get("GET", "/events/5", "")
	var name string
	for file := range b.files() {
		if file != "recording.json" {
			name = filepath.Join(b.dir, file)
		}
	}
	reader, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	b.recorder = openRecording(t, b.dir, b.backends())
	b.get("GET", "/events/5", "")
	old, err := io.ReadAll(reader)
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

// TestConcurrentCalls: concurrent responses are all recorded, each complete.
func TestConcurrentCalls(t *testing.T) {
	b := recordSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}), nil)
	const clients, items = 8, 25
	client := http.Client{Transport: b.recorder.Wrap(http.DefaultTransport)}
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for i := range items {
				res, err := client.Get(fmt.Sprint(b.site, "/wp-json/events/", i+1))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, res.Body); err != nil {
					t.Error(err)
				}
				res.Body.Close()
			}
		})
	}
	running.Wait()
	if n := b.recorder.Counts(); n != (Counts{Kept: clients * items}) {
		t.Errorf("%+v", n)
	}
	replay, err := OpenReplay(b.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if replay.calls != items {
		t.Errorf("%d calls, want %d", replay.calls, items)
	}
}

// TestOpen: which directories a recording may be made in.
func TestOpen(t *testing.T) {
	site := oneRoot("https://legacy.example/wp-json")
	for name, test := range map[string]struct {
		prepare func(t *testing.T, dir string)
		want    string // "" for no error
	}{
		"missing":           {func(*testing.T, string) {}, ""},
		"empty":             {func(t *testing.T, dir string) { makeDir(t, dir) }, ""},
		"only hidden files": {func(t *testing.T, dir string) { write(t, dir, unfinished, "half"); write(t, dir, ".git/x", "") }, ""},
		"the same site":     {func(t *testing.T, dir string) { openRecording(t, dir, site) }, ""},
		"another site": {func(t *testing.T, dir string) { openRecording(t, dir, oneRoot("https://other.example")) },
			"is a recording of other backends"},
		"foreign files": {func(t *testing.T, dir string) { write(t, dir, "thesis.txt", "") }, "is not empty and not a recording"},
		"a file":        {func(t *testing.T, dir string) { write(t, filepath.Dir(dir), filepath.Base(dir), "") }, "not a directory"},
		"below a file":  {func(t *testing.T, dir string) { write(t, filepath.Dir(filepath.Dir(dir)), "a", "") }, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			test.prepare(t, dir)
			_, err := Open(Options{Dir: dir, Backends: site})
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
					t.Errorf("mode %v, %v", info.Mode(), err)
				}
				if _, err := os.Stat(filepath.Join(dir, unfinished)); err == nil {
					t.Error("a partial file is still there")
				}
			} else if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestContinue: a second recording adds to the first, which counts towards its limits.
func TestContinue(t *testing.T) {
	b := recordSite(t, respond(`{"id":5}`), nil)
	b.get("GET", "/events/1", "")
	about := b.files()["recording.json"]
	var err error
	if b.recorder, err = Open(Options{Dir: b.dir, Backends: b.backends(), MaxCalls: 2}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/events/2", "/events/3"} {
		b.get("GET", path, "")
	}
	if n := b.recorder.Counts(); n != (Counts{Kept: 1, Beyond: 1}) {
		t.Errorf("%+v", n)
	}
	if got := b.files()["recording.json"]; got != about {
		t.Errorf("recording.json was %s and is %s", about, got)
	}
}

// TestCounts: a recording shows what it has, without waiting for its end.
func TestCounts(t *testing.T) {
	b := recordSite(t, respond(`{"id":5}`), nil)
	if got := b.recorder.Counts(); got != (Counts{}) {
		t.Errorf("before the first call: %+v", got)
	}
	for _, path := range []string{"/events/1", "/events/1", "/venues?page=2&password=opensesame", "/venues?page=2"} {
		b.get("GET", path, "")
	}
	if got := b.recorder.Counts(); got != (Counts{Kept: 3, Private: 1}) || b.recorder.calls != 2 || b.recorder.bytes <= 0 {
		t.Errorf("%+v, %d calls, %d bytes", got, b.recorder.calls, b.recorder.bytes)
	}
}

// TestDiskHangs: a call with a response that is not written does not wait for a disk that hangs.
func TestDiskHangs(t *testing.T) {
	b := recordSite(t, respond(`{"id":5}`), nil)
	b.recorder.disk.Lock()
	defer b.recorder.disk.Unlock()
	b.get("POST", "/events", "")
	b.get("GET", "/events/1?password=opensesame", "")
	if got := b.recorder.Counts(); got != (Counts{Private: 2}) {
		t.Errorf("%+v", got)
	}
}
