package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
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
	return &Comparison{Legacy: legacy.read, Candidate: candidate.read, Rules: rules, Languages: languages, Concurrency: 3,
		CandidateID: func(_, id string) string { return id }}
}

func (d *Comparison) report(t *testing.T) Report {
	t.Helper()
	r, err := d.Run(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// causesOf returns the number of responses that show each finding.
func causesOf(r Report) map[string]int {
	causes := map[string]int{}
	for _, f := range r.Findings {
		causes[strings.Join([]string{f.Language, f.Resource, f.ID, f.Member}, " ")] += f.Responses
	}
	return causes
}

// all returns a finding for each item, shown by so many responses.
func all(ids []int, responses int) map[string]int {
	causes := map[string]int{}
	for _, id := range ids {
		causes[fmt.Sprintf("en events %d ", id)] = responses
	}
	return causes
}

var errBroken = errors.New("the site is broken")

// when returns a response to the calls whose path and query hold a text.
func when(text string, d compare.Document, err error) func(*mapping.Call) (compare.Document, error) {
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
		all               compare.Tally  // without zeros
		verdict           Verdict
	}{
		{
			name: "same", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120)},
			all: compare.Tally{Items: 120}, verdict: Same,
		}, {
			name: "a value", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120),
				title: func(id int) string { return strings.Replace(fmt.Sprint(id), "77", "x", 1) }},
			want: map[string]int{"en events 77 title": 3}, all: compare.Tally{Items: 120, Affected: 1, Findings: 1}, verdict: Differs,
		}, {
			name: "more items on each page", legacy: &shelf{ids: numbers(200),
				title: renamed}, candidate: &shelf{ids: append([]int{1000, 1001}, numbers(200)...), title: renamed},
			want: all([]int{1000, 1001}, 1), all: compare.Tally{Items: 200, Extra: 2, Findings: 2}, verdict: Differs,
		}, {
			name: "pages apart", legacy: &shelf{ids: numbers(250)}, candidate: &shelf{ids: append(numbers(400)[250:], numbers(250)...)},
			want: all(numbers(400)[250:], 1), all: compare.Tally{Items: 250, Extra: 150, Findings: 150}, verdict: Differs,
		}, {
			name: "another time on the same page", legacy: &shelf{ids: numbers(60)},
			candidate: &shelf{ids: slices.Insert(numbers(60)[1:], 20, 1), start: retimed},
			want:      map[string]int{"en events 1 start_date": 3}, all: compare.Tally{Items: 60, Affected: 1, Findings: 1},
			verdict: Differs,
		}, {
			name: "another time, pages apart", legacy: &shelf{ids: numbers(400)}, candidate: &shelf{ids: append(numbers(400)[1:],
				1), start: retimed},
			want: map[string]int{"en events 1 start_date": 3}, all: compare.Tally{Items: 400, Affected: 1, Findings: 1}, verdict: Differs,
		}, {
			name: "another time and another order", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: append(append([]int{3,
				2}, numbers(60)[3:]...), 1), start: retimed},
			want: map[string]int{"en events  events": 1, "en events 1 start_date": 3}, all: compare.Tally{Items: 60, Affected: 1,
				Findings: 2}, verdict: Differs,
		}, {
			name: "all that is there", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{},
			want: all(numbers(60), 3), all: compare.Tally{Items: 60, Missing: 60, Affected: 60, Findings: 60}, verdict: Differs,
		}, {
			name: "in the list and not to be read", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: numbers(60),
				before: when("/events/7", notThere, nil)},
			want: all([]int{7}, 1), all: compare.Tally{Items: 60, Affected: 1, Findings: 1}, verdict: Differs,
		}, {
			name: "the legacy differs from itself", legacy: &shelf{ids: numbers(60),
				before: func(c *mapping.Call) (compare.Document, error) {
					if c.Item == "7" {
						return found(`{"id":7,"slug":"e7","title":"%d","start_date":"2027-01-01 10:00:00"}`, calls.Add(1)), nil
					}
					return compare.Document{}, nil
				}}, candidate: &shelf{ids: numbers(60)},
			all: compare.Tally{Items: 60, Noise: 1}, verdict: Same,
		}, {
			name: "a call that fails", legacy: &shelf{ids: numbers(60)}, candidate: &shelf{ids: numbers(60),
				before: when("/events/7", compare.Document{}, errBroken)},
			all: compare.Tally{Items: 60, Failed: 1}, verdict: Unproven,
		}, {
			name: "both fail", legacy: &shelf{ids: numbers(60),
				before: when("/by-slug/e7", compare.Document{},
					errBroken)}, candidate: &shelf{ids: numbers(60), before: when("/by-slug/e7", compare.Document{}, errBroken)},
			all: compare.Tally{Items: 60, Failed: 2}, verdict: Unproven,
		}, {
			name: "a list that fails there", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120),
				before: when("page=2", compare.Document{}, errBroken)},
			all: compare.Tally{Items: 120, Failed: 1}, verdict: Unproven,
		}, {
			name: "a list that fails here", legacy: &shelf{ids: numbers(120),
				before: when("page=2", compare.Document{}, errBroken)}, candidate: &shelf{ids: numbers(120)},
			all: compare.Tally{Items: 50, Failed: 1}, verdict: Unproven,
		}, {
			name: "a list that is no list there", legacy: &shelf{ids: numbers(120)}, candidate: &shelf{ids: numbers(120),
				before: when("page=2", notThere, nil)},
			want: map[string]int{"en events  ": 1}, all: compare.Tally{Items: 120, Findings: 1}, verdict: Differs,
		}, {
			name: "a list that is no list anywhere", legacy: &shelf{before: when("/events?", notThere,
				nil)}, candidate: &shelf{before: when("/events?", notThere, nil)},
			all: compare.Tally{Failed: 1}, verdict: Unproven,
		}, {
			name: "a list that shows fewer items than it announces", legacy: &shelf{before: when("/events?",
				found(`{"events":[{"id":1}],"total":2,"total_pages":1}`), nil)},
			candidate: &shelf{before: when("/events?", found(`{"events":[{"id":1}],"total":2,"total_pages":1}`), nil)},
			all:       compare.Tally{Items: 1, Failed: 1}, verdict: Unproven,
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
			all := r.Sum()
			all.Compared, all.Language = 0, ""
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
}

// TestDiffCutOff: an interrupted comparison has no verdict.
func TestDiffCutOff(t *testing.T) {
	for at := int64(1); at < 200; at += 37 {
		legacy, candidate := &shelf{ids: numbers(120)}, &shelf{ids: numbers(120)}
		ctx, stop := context.WithCancel(t.Context())
		d := shelves(t, legacy, candidate)
		d.Legacy = func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
			if legacy.calls.Load() >= at {
				stop()
				return compare.Document{}, ctx.Err()
			}
			return legacy.read(ctx, call, language)
		}
		if _, err := d.Run(ctx, io.Discard); !errors.Is(err, ErrCutOff) {
			t.Fatalf("cut off at call %d: %v", at, err)
		}
	}
}

// TestDiffMemory: of 10,000 items only the names are remembered.
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
	if all := r.Sum(); all.Items != events || all.Findings == 0 {
		t.Errorf("%+v", all)
	}
	t.Logf("%d KiB more than the %d KiB before", (peak-before)>>10, before>>10)
	if peak > before+most {
		t.Errorf("%d KiB of memory more than before, want at most %d", (peak-before)>>10, most>>10)
	}
	_ = r.Print(io.Discard)
}
