package survey

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// withSources adds to the responses of a site the answers that they were made of.
func withSources(read Reader, site string) Reader {
	return func(ctx context.Context, c *mapping.Call, language string) (compare.Document, error) {
		d, err := read(ctx, c, language)
		if err == nil {
			url := "https://user:hunter2@" + site + lineOf(c)
			d.Sources = []compare.Source{{URL: url, Status: d.Status, Body: append([]byte(site+" "), d.Body...)}, {URL: url, Body: []byte("more")}}
		}
		return d, err
	}
}

// stored compares two sites of which the second lacks item 4 and has another title of item 7.
func stored(t *testing.T, dir string, maxBytes int64, existing Existing) report.Report {
	t.Helper()
	legacy := &shelf{ids: numbers(6)}
	candidate := &shelf{ids: []int{1, 2, 3, 5, 6}, title: func(id int) string { return strings.Repeat("x", id/6) + string(rune('0'+id)) }}
	d := shelves(t, legacy, candidate)
	d.Legacy, d.Candidate = withSources(legacy.read, "old.example"), withSources(candidate.read, "new.example")
	d.Journal = open(t, dir, Subject{}, existing)
	var err error
	if d.Answers, err = OpenAnswers(dir, maxBytes, existing); err != nil {
		t.Fatal(err)
	}
	r := d.report(t)
	if err := d.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAnswersAreStored: a finding names the requests, without credentials, and files with the
// answers of both sites, as these gave them.
func TestAnswersAreStored(t *testing.T) {
	dir := t.TempDir()
	r := stored(t, dir, 1<<20, Refuse)
	if len(r.Findings) != 2 {
		t.Fatalf("%d findings", len(r.Findings))
	}
	for _, f := range r.Findings {
		best := f.Best()
		if best.Endpoint != "events.read" || best.Legacy.URL != "https://(hidden)@old.example/events/"+f.ID || best.Candidate.URL != "https://(hidden)@new.example/events/"+f.ID {
			t.Errorf("finding of %s: %+v", f.ID, best)
		}
		for site, file := range map[string]string{"old.example ": best.Legacy.File, "new.example ": best.Candidate.File} {
			if body, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.HasPrefix(string(body), site+"{") {
				t.Errorf("%s: %s %v", file, body, err)
			}
		}
	}
	names := files(t, dir)
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, answersDir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, answersDir)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if again := stored(t, dir, 1<<20, Resume); asJSON(t, again) != asJSON(t, r) {
		t.Error("the report of the resumed run is another one")
	}
	if err := os.WriteFile(filepath.Join(dir, answersDir, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stored(t, dir, 0, Replace)
	if got := files(t, dir); !slices.Equal(got, []string{"mine.txt"}) {
		t.Errorf("after a run without room there are %s", got)
	}
	if len(names) != 20 { // five calls, two sites, two answers each
		t.Errorf("%d files: %s", len(names), names)
	}
}

// TestAnswersAreBounded: whatever the sites send, the files are not larger than the limit.
func TestAnswersAreBounded(t *testing.T) {
	for _, limit := range []int64{0, 100, 200, 500} {
		dir := t.TempDir()
		stored(t, dir, limit, Refuse)
		stored(t, dir, limit, Resume)
		var size int64
		for _, name := range files(t, dir) {
			info, err := os.Stat(filepath.Join(dir, answersDir, name))
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
		if size > limit {
			t.Errorf("%d bytes, want at most %d", size, limit)
		}
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, answersDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFileNames(t *testing.T) {
	seen := map[string]bool{}
	for _, call := range []string{"/events/1", "/events/2", "/events?page=1", "/events?page=2", "/events/by-slug/../../etc", "/events/by-slug/" + strings.Repeat("é", 300), "/events/by-slug/" + strings.Repeat("é", 301)} {
		name := fileName("en", call)
		if seen[name] || len(name) > maxName+9 || strings.ContainsAny(name, "/.\\é") {
			t.Errorf("%s is %s", call, name)
		}
		seen[name] = true
	}
}

func TestPages(t *testing.T) {
	for want, d := range map[string]compare.Document{
		"https://old.example/e":                found(`{"id":1,"url":"https:\/\/old.example\/e"}`),
		"https://old.example/e?token=(hidden)": found(`{"url":"https://old.example/e?token=hunter2"}`),
		"":                                     found(`{"url":"https://old.example/%s"}`, strings.Repeat("x", maxPage)),
	} {
		if got := pageOf(d); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, d := range []compare.Document{notThere, found(`{}`), found(`[1]`), found(`{"url":null}`), {}} {
		if got := pageOf(d); got != "" {
			t.Errorf("%s: got %q", d.Body, got)
		}
	}
}
