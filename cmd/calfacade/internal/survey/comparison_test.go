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
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/report/reporttest"
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
	return &Comparison{Legacy: legacy.read, Candidate: candidate.read, Rules: rules, Languages: languages, Concurrency: 3}
}

func (d *Comparison) report(t *testing.T) report.Report {
	t.Helper()
	d.begin()
	if err := d.walk(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d.result.report()
}

var errBroken = errors.New("the site is broken")

// when returns a response to the calls whose path and query hold a text.
func when(text string, d compare.Document, err error) func(*mapping.Call) (compare.Document, error) {
	return func(c *mapping.Call) (compare.Document, error) {
		if strings.Contains(lineOf(c), text) {
			return d, err
		}
		return compare.Document{}, nil
	}
}

func TestDiff(t *testing.T) {
	renamed := func(id int) string { return fmt.Sprint(id, id%100/99) }
	retimed := func(id int) string { return fmt.Sprintf("2027-01-01 10:%02d:00", max(0, 2-id)) }
	var asked atomic.Int64
	for _, test := range []struct {
		name              string
		legacy, candidate *shelf
		want              map[string]int64
		all               report.Tally // what is not 0 of it
		verdict           report.Verdict
	}{
		{
			name: "same", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120)},
			all: report.Tally{Items: 120}, verdict: report.Same,
		}, {
			name: "a value", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120), title: func(id int) string { return strings.Replace(fmt.Sprint(id), "77", "x", 1) }},
			want: map[string]int64{
				"en events.list events[].title: value": 1,
				"en events.read title: value":          1,
				"en events.read_by_slug title: value":  1,
			}, all: report.Tally{Items: 120, Differing: 3, Affected: 1, Findings: 1}, verdict: report.Differs,
		}, {
			name: "more items on each page", legacy: &shelf{ids: numbers(200), title: renamed}, candidate: &shelf{ids: append([]int{1000, 1001}, numbers(200)...), title: renamed},
			want: map[string]int64{"en events.list events[]: extra": 2},
			all:  report.Tally{Items: 200, Differing: 1, Extra: 2, Findings: 2}, verdict: report.Differs,
		}, {
			name: "pages apart", legacy: &shelf{ids: numbers(250)}, candidate: &shelf{ids: append(numbers(400)[250:], numbers(250)...)},
			want: map[string]int64{"en events.list events[]: extra": 150},
			all:  report.Tally{Items: 250, Differing: 1, Extra: 150, Findings: 150}, verdict: report.Differs,
		}, {
			name: "too far apart", legacy: &shelf{ids: numbers(250)}, candidate: &shelf{ids: append(numbers(1250)[250:], numbers(250)...)},
			want: map[string]int64{"en events.list events[]: extra": 1000},
			all:  report.Tally{Items: 250, Differing: 1, Extra: 1000, Unaligned: 250, Findings: 1000}, verdict: report.Differs,
		}, {
			name: "another time on the same page", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: slices.Insert(numbers(60)[1:], 20, 1), start: retimed},
			want: map[string]int64{"en events.list events[].start_date: value": 1, "en events.read start_date: value": 1, "en events.read_by_slug start_date: value": 1},
			all:  report.Tally{Items: 60, Differing: 3, Affected: 1, Findings: 1}, verdict: report.Differs,
		}, {
			name: "another time, pages apart", legacy: &shelf{ids: numbers(400)}, candidate: &shelf{ids: append(numbers(400)[1:], 1), start: retimed},
			want: map[string]int64{"en events.read start_date: value": 1, "en events.read_by_slug start_date: value": 1},
			all:  report.Tally{Items: 400, Differing: 2, Affected: 1, Findings: 1, Unaligned: 1}, verdict: report.Differs,
		}, {
			name: "another time and another order", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: append(append([]int{3, 2}, numbers(60)[3:]...), 1), start: retimed},
			want: map[string]int64{"en events.list events: order": 1, "en events.list events[].start_date: value": 1, "en events.read start_date: value": 1, "en events.read_by_slug start_date: value": 1},
			all:  report.Tally{Items: 60, Differing: 4, Affected: 1, Findings: 2}, verdict: report.Differs,
		}, {
			name: "all that is there", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{},
			want: map[string]int64{"en events.list events[]: missing": 60},
			all:  report.Tally{Items: 60, Differing: 1, Missing: 60, Affected: 60, Findings: 60}, verdict: report.Differs,
		}, {
			name: "in the list and not to be read", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: numbers(60), before: when("/events/7", notThere, nil)},
			want: map[string]int64{"en events.read : status": 1},
			all:  report.Tally{Items: 60, Differing: 1, Affected: 1, Findings: 1}, verdict: report.Differs,
		}, {
			name: "the legacy differs from itself", legacy: &shelf{ids: numbers(60), before: func(c *mapping.Call) (compare.Document, error) {
				if c.Item == "7" {
					return found(`{"id":7,"slug":"e7","title":"%d","start_date":"2027-01-01 10:00:00"}`, asked.Add(1)), nil
				}
				return compare.Document{}, nil
			}}, candidate: &shelf{ids: numbers(60)},
			all: report.Tally{Items: 60, Noise: 1}, verdict: report.Same,
		}, {
			name: "a call that fails", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: numbers(60), before: when("/events/7", compare.Document{}, errBroken)},
			all: report.Tally{Items: 60, Failed: 1}, verdict: report.Unproven,
		}, {
			name: "both fail", legacy: &shelf{ids: numbers(60), before: when("/by-slug/e7", compare.Document{}, errBroken)}, candidate: &shelf{ids: numbers(60), before: when("/by-slug/e7", compare.Document{}, errBroken)},
			all: report.Tally{Items: 60, Failed: 2}, verdict: report.Unproven,
		}, {
			name: "a list that fails there", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120), before: when("page=2", compare.Document{}, errBroken)},
			all: report.Tally{Items: 120, Failed: 1}, verdict: report.Unproven,
		}, {
			name: "a list that fails here", legacy: &shelf{ids: numbers(120), before: when("page=2", compare.Document{}, errBroken)}, candidate: &shelf{ids: numbers(120)},
			all: report.Tally{Items: 50, Failed: 1}, verdict: report.Unproven,
		}, {
			name: "a list that is no list there", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120), before: when("page=2", notThere, nil)},
			want: map[string]int64{"en events.list : status": 1},
			all:  report.Tally{Items: 120, Differing: 1, Findings: 1}, verdict: report.Differs,
		}, {
			name: "a list that is no list anywhere", legacy: &shelf{before: when("/events?", notThere, nil)}, candidate: &shelf{before: when("/events?", notThere, nil)},
			all: report.Tally{Failed: 1}, verdict: report.Unproven,
		}, {
			name: "a list that shows less than it tells of", legacy: &shelf{before: when("/events?", found(`{"events":[{"id":1}],"total":2,"total_pages":1}`), nil)}, candidate: &shelf{before: when("/events?", found(`{"events":[{"id":1}],"total":2,"total_pages":1}`), nil)},
			all: report.Tally{Items: 1, Failed: 1}, verdict: report.Unproven,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.want == nil {
				test.want = map[string]int64{}
			}
			d := shelves(t, test.legacy, test.candidate)
			r := d.report(t)
			if diff := cmp.Diff(test.want, reporttest.Kinds(r)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
			all := r.Sum()
			all.Compared, all.Language = 0, ""
			for _, c := range r.Cells {
				all.Unaligned += c.Unaligned
			}
			if diff := cmp.Diff(test.all, all); diff != "" {
				t.Errorf("in all (-want +got):\n%s", diff)
			}
			if r.Verdict != test.verdict {
				t.Errorf("the verdict is %s, want %s", r.Verdict, test.verdict)
			}
		})
	}
}

func TestDiffOfASample(t *testing.T) {
	legacy, candidate := &shelf{ids: numbers(1000)}, &shelf{ids: numbers(1000)}
	d := shelves(t, legacy, candidate)
	d.Sample = 50
	r := d.report(t)
	const lists = 20 + 9 // pages of the one, and the others
	items := (int(legacy.calls.Load()) - lists) / 2
	if all := r.Sum(); all.Items != 1000 || items < 25 || items > 75 {
		t.Errorf("of %d items %d were read, want about 50 of 1000", all.Items, items)
	}
	if s := d.progress.state(); s.done != s.want {
		t.Errorf("%d of %d are done", s.done, s.want)
	}
}

// TestDiffResumes: cut off anywhere, with half a line written, it goes on and ends
// as if nothing had happened.
func TestDiffResumes(t *testing.T) {
	site := func() (legacy, candidate *shelf) {
		legacy = &shelf{ids: numbers(120), before: when("/events/31", compare.Document{}, errBroken)}
		candidate = &shelf{ids: append([]int{500}, numbers(119)...), title: func(id int) string { return fmt.Sprint(id - id%10) }}
		return legacy, candidate
	}
	legacy, candidate := site()
	whole := shelves(t, legacy, candidate)
	want := whole.report(t)
	calls := legacy.calls.Load()
	of := Subject{Config: "c", Candidate: "new"}
	for at := int64(1); at < calls; at += 37 {
		dir := t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		legacy, candidate := site()
		d := shelves(t, legacy, candidate)
		d.Legacy = func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
			if legacy.calls.Load() >= at {
				stop()
				return compare.Document{}, ctx.Err()
			}
			return legacy.read(ctx, call, language)
		}
		d.Journal = open(t, dir, of, Refuse)
		d.begin()
		if err := d.walk(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("cut off at call %d: %v", at, err)
		}
		if _, err := d.Journal.file.WriteString(`{"step":"en ev`); err != nil {
			t.Fatal(err)
		}
		if err := d.Journal.Close(); err != nil {
			t.Fatal(err)
		}
		before := legacy.calls.Load()
		d.Legacy = legacy.read
		for _, run := range []string{"went on", "was asked again"} {
			d.Journal = open(t, dir, of, Resume)
			if diff := cmp.Diff(asJSON(t, want), asJSON(t, d.report(t))); diff != "" {
				t.Errorf("cut off at call %d, it %s (-whole +resumed):\n%s", at, run, diff)
			}
			if s := d.progress.state(); s.done != s.want || s.failed != want.Sum().Failed {
				t.Errorf("cut off at call %d: %+v", at, s)
			}
			if err := d.Journal.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if again := legacy.calls.Load() - calls; before > 20 && again > 20 {
			t.Errorf("cut off at call %d: %d calls were repeated", at, again)
		}
	}
}

func asJSON(t *testing.T, r report.Report) string {
	t.Helper()
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func open(t *testing.T, dir string, of Subject, existing Existing) *Journal {
	t.Helper()
	j, err := OpenJournal(dir, of, existing)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJournalIsForNobodyElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	j := open(t, dir, Subject{}, Refuse)
	defer j.Close()
	for name, want := range map[string]os.FileMode{"": 0o700, journalFile: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestJournalIsRefused(t *testing.T) {
	of := Subject{Config: "c", Candidate: "new", Languages: []string{"en"}}
	head := `{"journal":"calfacade diff 1","config":"c","candidate":"new","languages":["en"],"sample":0}` + "\n"
	const some, end = `{"step":"en events 1","end":true}` + "\n", `{"step":"done"}` + "\n"
	for _, test := range []struct {
		name, text   string
		existing     Existing
		err          error
		says, leaves string // "" is the text
	}{
		{name: "nothing there", leaves: head},
		{name: "nothing there to go on with", existing: Resume, leaves: head},
		{name: "cut off", text: head + some, err: errUnfinished},
		{name: "cut off, to go on", text: head + some + `{"step":"en`, existing: Resume, leaves: head + some},
		{name: "half a list", text: head + some + `{"step":"en events list"}` + "\n", existing: Resume, leaves: head + some},
		{name: "done", text: head + some + end, err: errFinished},
		{name: "done, to be replaced", text: head + some + end, existing: Replace, leaves: head},
		{name: "cut off, to be replaced", text: head + some, existing: Replace, leaves: head},
		{name: "damaged, to be replaced", text: "hello\n", existing: Replace, leaves: head},
		{name: "done, to be reported again", text: head + some + end, existing: Resume, leaves: head + some},
		{name: "another candidate", text: strings.Replace(head, "new", "old", 1) + some, existing: Resume, err: errOther},
		{name: "another configuration", text: strings.Replace(head, `"c"`, `"d"`, 1) + some, existing: Resume, err: errOther},
		{name: "another version", text: strings.Replace(head, "diff 1", "diff 2", 1), says: "line 1 is not of a journal of this version"},
		{name: "something else", text: "hello\n", says: "line 1 is not of a journal"},
		{name: "damaged", text: head + "}\n" + some, existing: Resume, says: "line 2 is not of a journal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, journalFile)
			if test.text != "" {
				if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			j, err := OpenJournal(dir, of, test.existing)
			if fails := test.err != nil || test.says != ""; fails != (err != nil) || err != nil && (!errors.Is(err, test.err) && test.err != nil || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("got %v, want %v %s", err, test.err, test.says)
			}
			if err == nil {
				defer j.Close()
			}
			if test.leaves == "" {
				test.leaves = test.text
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != test.leaves {
				t.Errorf("the file is\n%swant\n%s", string(got), test.leaves)
			}
		})
	}
}

// TestDiffMemory: what is remembered of 10,000 items are their names.
func TestDiffMemory(t *testing.T) {
	const events, most = 10_000, 8 << 20
	prose := strings.Repeat("x", 1500)
	content := func(id int) string { return prose + fmt.Sprint(id) }
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	legacy, candidate := &shelf{title: content}, &shelf{title: func(id int) string { return content(id + id%2) }}
	legacy.ids, candidate.ids = numbers(events), numbers(events)
	d := shelves(t, legacy, candidate)
	d.Journal = open(t, t.TempDir(), Subject{}, Refuse)
	d.Sample = 200
	before, peak := live(), uint64(0)
	d.Legacy = func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
		if legacy.calls.Load()%50 == 0 {
			peak = max(peak, live())
		}
		return legacy.read(ctx, call, language)
	}
	d.Concurrency = 1 // so that peak is nobody else's
	r := d.report(t)
	if err := d.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	if all := r.Sum(); all.Items != events || all.Differing == 0 {
		t.Errorf("%+v", all)
	}
	t.Logf("%d KiB more than the %d KiB before", (peak-before)>>10, before>>10)
	if peak > before+most {
		t.Errorf("%d KiB of memory more than before, want at most %d", (peak-before)>>10, most>>10)
	}
	_ = r.Print(io.Discard)
}
