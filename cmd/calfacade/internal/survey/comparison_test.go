package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// shelves is a differ between two of them, in English and Spanish.
func shelves(t *testing.T, legacy, candidate *shelf) *Comparison {
	t.Helper()
	rules, err := compare.Default().Compile()
	if err != nil {
		t.Fatal(err)
	}
	languages := []string{"en", "es"}
	return &Comparison{Legacy: legacy.answer, Candidate: candidate.answer, Rules: rules, Languages: languages,
		CandidateID: func(_, id string) string { return id }}
}

func (d *Comparison) report(t *testing.T) DiffReport {
	t.Helper()
	r, err := d.Run(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// causesOf returns the number of responses that show each finding.
func causesOf(r DiffReport) map[string]int {
	causes := map[string]int{}
	for _, f := range r.Findings {
		causes[strings.Join([]string{f.Language, f.Resource, f.ID, f.Member}, " ")] += f.Responses
	}
	return causes
}

// eachOf returns a finding for each item, shown by so many responses.
func eachOf(ids []int, responses int) map[string]int {
	causes := map[string]int{}
	for _, id := range ids {
		causes[fmt.Sprintf("en events %d ", id)] = responses
	}
	return causes
}

var errBroken = errors.New("the site is broken")

// onCall returns a response to the calls whose path and query hold a text.
func onCall(text string, d compare.Document, err error) func(*mapping.Call) (compare.Document, error) {
	return func(c *mapping.Call) (compare.Document, error) {
		if strings.Contains(c.Line(), text) {
			return d, err
		}
		return compare.Document{}, nil
	}
}

func TestDiff(t *testing.T) {
	renamed := func(id int) string { return fmt.Sprint(id, id%100/99) }
	retimed := func(id int) string { return fmt.Sprintf("2027-01-01 10:%02d:00", max(0, 2-id)) }
	var calls atomic.Int64
	for _, test := range []struct {
		name              string
		legacy, candidate *shelf
		want              map[string]int // responses by finding
		sum               compare.Tally  // without zeros
		verdict           Verdict
	}{
		{
			name: "same", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120)},
			sum: compare.Tally{Items: 120}, verdict: Same,
		}, {
			name: "a value", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120),
				title: func(id int) string { return strings.Replace(fmt.Sprint(id), "77", "x", 1) }},
			want: map[string]int{"en events 77 title": 3}, sum: compare.Tally{Items: 120, Affected: 1, Findings: 1}, verdict: Differs,
		}, {
			name: "more items on each page", legacy: &shelf{ids: numbers(200),
				title: renamed}, candidate: &shelf{ids: append([]int{1000, 1001}, numbers(200)...), title: renamed},
			want: eachOf([]int{1000, 1001}, 1), sum: compare.Tally{Items: 200, Findings: 2}, verdict: Differs,
		}, {
			name: "pages apart", legacy: &shelf{ids: numbers(250)}, candidate: &shelf{ids: append(numbers(400)[250:], numbers(250)...)},
			want: eachOf(numbers(400)[250:], 1), sum: compare.Tally{Items: 250, Findings: 150}, verdict: Differs,
		}, {
			name: "another time on the same page", legacy: &shelf{ids: numbers(60)},
			candidate: &shelf{ids: slices.Insert(numbers(60)[1:], 20, 1), start: retimed},
			want:      map[string]int{"en events 1 start_date": 3}, sum: compare.Tally{Items: 60, Affected: 1, Findings: 1},
			verdict: Differs,
		}, {
			name: "another time, pages apart", legacy: &shelf{ids: numbers(400)}, candidate: &shelf{ids: append(numbers(400)[1:],
				1), start: retimed},
			want: map[string]int{"en events 1 start_date": 3}, sum: compare.Tally{Items: 400, Affected: 1, Findings: 1}, verdict: Differs,
		}, {
			name: "another time and another order", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: append(append([]int{3,
				2}, numbers(60)[3:]...), 1), start: retimed},
			want: map[string]int{"en events  events": 1, "en events 1 start_date": 3}, sum: compare.Tally{Items: 60, Affected: 1,
				Findings: 2}, verdict: Differs,
		}, {
			name: "all that is there", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{},
			want: eachOf(numbers(60), 3), sum: compare.Tally{Items: 60, Affected: 60, Findings: 60}, verdict: Differs,
		}, {
			name: "in the list and not to be read", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: numbers(60),
				override: onCall("/events/7", notThere, nil)},
			want: eachOf([]int{7}, 1), sum: compare.Tally{Items: 60, Affected: 1, Findings: 1}, verdict: Differs,
		}, {
			name: "the legacy differs from itself", legacy: &shelf{ids: numbers(60),
				override: func(c *mapping.Call) (compare.Document, error) {
					if c.Item == "7" {
						return okf(`{"id":7,"slug":"e7","title":"%d","start_date":"2027-01-01 10:00:00"}`, calls.Add(1)), nil
					}
					return compare.Document{}, nil
				}}, candidate: &shelf{ids: numbers(60)},
			sum: compare.Tally{Items: 60, Noise: 1}, verdict: Same,
		}, {
			name: "a call that fails", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: numbers(60),
				override: onCall("/events/7", compare.Document{}, errBroken)},
			sum: compare.Tally{Items: 60, Failed: 1}, verdict: Unproven,
		}, {
			name: "both fail", legacy: &shelf{ids: numbers(60),
				override: onCall("/by-slug/e7", compare.Document{},
					errBroken)}, candidate: &shelf{ids: numbers(60), override: onCall("/by-slug/e7", compare.Document{}, errBroken)},
			sum: compare.Tally{Items: 60, Failed: 2}, verdict: Unproven,
		}, {
			name: "a list that fails there", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120),
				override: onCall("page=2", compare.Document{}, errBroken)},
			sum: compare.Tally{Items: 120, Failed: 1}, verdict: Unproven,
		}, {
			name: "a list that fails here", legacy: &shelf{ids: numbers(120),
				override: onCall("page=2", compare.Document{}, errBroken)}, candidate: &shelf{ids: numbers(120)},
			sum: compare.Tally{Items: 50, Failed: 1}, verdict: Unproven,
		}, {
			name: "a list that is no list there", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120),
				override: onCall("page=2", notThere, nil)},
			want: map[string]int{"en events  ": 1}, sum: compare.Tally{Items: 120, Findings: 1}, verdict: Differs,
		}, {
			name: "a list that is no list anywhere", legacy: &shelf{override: onCall("/events?", notThere,
				nil)}, candidate: &shelf{override: onCall("/events?", notThere, nil)},
			sum: compare.Tally{Failed: 1}, verdict: Unproven,
		}, {
			name: "a list that shows fewer items than it announces", legacy: &shelf{override: onCall("/events?",
				okf(`{"events":[{"id":1}],"total":2,"total_pages":1}`), nil)},
			candidate: &shelf{override: onCall("/events?", okf(`{"events":[{"id":1}],"total":2,"total_pages":1}`), nil)},
			sum:       compare.Tally{Items: 1, Failed: 1}, verdict: Unproven,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.want == nil {
				test.want = map[string]int{}
			}
			d := shelves(t, test.legacy, test.candidate)
			r := d.report(t)
			if diff := cmp.Diff(test.want, causesOf(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			sum := r.Sum()
			sum.Compared = 0
			sum.Language = ""
			if diff := cmp.Diff(test.sum, sum); diff != "" {
				t.Errorf("in all (-want +got):\n%s", diff)
			}
			if r.Verdict != test.verdict {
				t.Errorf("the verdict is %s, want %s", r.Verdict, test.verdict)
			}
		})
	}
}

func TestDiffOfASample(t *testing.T) {
	legacy := &shelf{ids: numbers(1000)}
	candidate := &shelf{ids: numbers(1000)}
	d := shelves(t, legacy, candidate)
	d.Sample = 50
	r := d.report(t)
	const lists = 20 + 9 // pages of the one, and the others
	items := (int(legacy.calls.Load()) - lists) / 2
	if sum := r.Sum(); sum.Items != 1000 || items < 25 || items > 75 {
		t.Errorf("of %d items %d were read, want about 50 of 1000", sum.Items, items)
	}
}

// TestDiffResumes: cut off anywhere, with half a line written, it continues with the same result.
func TestDiffResumes(t *testing.T) {
	site := func() (legacy, candidate *shelf) {
		legacy = &shelf{ids: numbers(120), override: onCall("/events/31", compare.Document{}, errBroken)}
		candidate = &shelf{ids: append([]int{500}, numbers(119)...), title: func(id int) string { return fmt.Sprint(id - id%10) }}
		return legacy, candidate
	}
	legacy, candidate := site()
	uninterrupted := shelves(t, legacy, candidate)
	want := uninterrupted.report(t)
	calls := legacy.calls.Load()
	const run = "0123"
	for limit := int64(1); limit < calls; limit += 37 {
		dir := t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		legacy, candidate := site()
		d := shelves(t, legacy, candidate)
		d.Legacy = func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
			if legacy.calls.Load() >= limit {
				stop()
				return compare.Document{}, ctx.Err()
			}
			return legacy.answer(ctx, call, language)
		}
		d.Journal = open(t, dir, run)
		if _, err := d.Run(ctx, io.Discard); !errors.Is(err, ErrCutOff) {
			t.Fatalf("cut off at call %d: %v", limit, err)
		}
		if _, err := d.Journal.file.WriteString(`{"Language":"en`); err != nil {
			t.Fatal(err)
		}
		if err := d.Journal.Close(false); err != nil {
			t.Fatal(err)
		}
		d.Legacy = legacy.answer
		d.Journal = open(t, dir, run)
		noted := len(d.Journal.done)
		start := legacy.calls.Load()
		if diff := cmp.Diff(asJSON(t, want), asJSON(t, d.report(t))); diff != "" {
			t.Errorf("cut off at call %d (-whole +resumed):\n%s", limit, diff)
		}
		if again := legacy.calls.Load() - start; again > calls-2*int64(noted) {
			t.Errorf("cut off at call %d, with %d items compared: %d of %d calls were made", limit, noted, again, calls)
		}
		if err := d.Journal.Close(true); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, journalFile)); err == nil {
			t.Error("the journal of a complete comparison is still there")
		}
	}
}

func asJSON(t *testing.T, r DiffReport) string {
	t.Helper()
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const journalFile = "journal-0123.ndjson"

func open(t *testing.T, dir string, run string) *Journal {
	t.Helper()
	j, err := OpenJournal(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestJournalIsPrivate: only the owner reads the answers of sites.
func TestJournalIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	j := open(t, dir, "0123")
	defer func() { _ = j.Close(false) }()
	for name, want := range map[string]os.FileMode{"": 0o700, journalFile: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

// TestJournals: the readable part of an existing journal is read, and the file is continued.
func TestJournals(t *testing.T) {
	const item = `{"Language":"en","Resource":"events","ID":"1","Compared":2}` + "\n"
	for _, test := range []struct {
		name, text string
		items      int
		leaves     string
	}{
		{name: "none", leaves: "\n"},
		{name: "interrupted", text: "\n" + item, items: 1, leaves: "\n" + item + "\n"},
		{name: "killed", text: item + `{"Language":"en`, items: 1, leaves: item + `{"Language":"en` + "\n"},
		{name: "something else", text: "hello\n", leaves: "hello\n\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, journalFile)
			if test.text != "" {
				if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			j := open(t, dir, "0123")
			if err := j.Close(false); err != nil || len(j.done) != test.items {
				t.Errorf("%d items, %v; want %d", len(j.done), err, test.items)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != test.leaves {
				t.Errorf("the file is\n%swant\n%s", string(got), test.leaves)
			}
			j = open(t, dir, "another")
			if len(j.done) != 0 {
				t.Error("another comparison has the same journal")
			}
			if err := j.Close(true); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDiffMemory: of 10,000 items only the names are remembered.
func TestDiffMemory(t *testing.T) {
	const events, limit = 10_000, 8 << 20
	prose := strings.Repeat("x", 1500)
	content := func(id int) string { return prose + fmt.Sprint(id) }
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	legacy := &shelf{title: content}
	candidate := &shelf{title: func(id int) string { return content(id + id%2) }}
	legacy.ids = numbers(events)
	candidate.ids = numbers(events)
	d := shelves(t, legacy, candidate)
	d.Journal = open(t, t.TempDir(), "0123")
	d.Sample = 200
	baseline := live()
	peak := uint64(0)
	var mu sync.Mutex // guards peak: several calls are in flight
	d.Legacy = func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
		if legacy.calls.Load()%50 == 0 {
			mu.Lock()
			peak = max(peak, live())
			mu.Unlock()
		}
		return legacy.answer(ctx, call, language)
	}
	r := d.report(t)
	if err := d.Journal.Close(false); err != nil {
		t.Fatal(err)
	}
	if sum := r.Sum(); sum.Items != events || sum.Findings == 0 {
		t.Errorf("%+v", sum)
	}
	t.Logf("%d KiB more than the %d KiB before", (peak-baseline)>>10, baseline>>10)
	if peak > baseline+limit {
		t.Errorf("%d KiB of memory more than before, want at most %d", (peak-baseline)>>10, limit>>10)
	}
	_ = r.Print(io.Discard)
}
