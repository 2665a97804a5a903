package compare_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
)

func TestFindings(t *testing.T) {
	var f compare.Findings
	for i := range 7 {
		f.Add(compare.Where{Endpoint: "events.list", Language: "en", Call: fmt.Sprint("/events?page=", i, "&password=x")}, []difference{
			{Path: "total", Kind: compare.Value, Want: "1", Got: "2"},
			{Path: "events[].title", Kind: compare.Value, Item: "1", Want: "a", Got: "b"},
			{Path: "events[].title", Kind: compare.Value, Item: "2", Want: "c", Got: "d"},
		}, 0)
	}
	f.Add(compare.Where{Endpoint: "events.list", Language: "de"}, nil, 4)
	f.Add(compare.Where{Endpoint: "events.list", Language: "en"}, nil, 0)
	f.Add(compare.Where{Endpoint: "venues.list", Language: "en"}, []difference{{Path: "total", Kind: compare.Value}}, 0)

	titles, totals := []compare.Example(nil), []compare.Example(nil)
	for i := range 5 {
		call := fmt.Sprint("/events?page=", i, "&password=(hidden)")
		titles = append(titles, compare.Example{Call: call, Item: "1", Want: "a", Got: "b"})
		totals = append(totals, compare.Example{Call: call, Want: "1", Got: "2"})
	}
	want := compare.Report{
		Counts: []compare.Count{
			{Endpoint: "events.list", Language: "de", Documents: 1, Noise: 4},
			{Endpoint: "events.list", Language: "en", Documents: 8, Differing: 7},
			{Endpoint: "venues.list", Language: "en", Documents: 1, Differing: 1},
		},
		Groups: []compare.Group{
			{Endpoint: "events.list", Language: "en", Path: "events[].title", Kind: "value", Count: 14, Documents: 7, Examples: titles},
			{Endpoint: "events.list", Language: "en", Path: "total", Kind: "value", Count: 7, Documents: 7, Examples: totals},
			{Endpoint: "venues.list", Language: "en", Path: "total", Kind: "value", Count: 1, Documents: 1,
				Examples: []compare.Example{{}}},
		},
	}
	got := f.Snapshot()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got.Groups[0].Examples[0].Call = "changed"
	if diff := cmp.Diff(want, f.Snapshot()); diff != "" {
		t.Errorf("a report is not its reader's alone: %s", diff)
	}
	if diff := cmp.Diff(compare.Report{Counts: []compare.Count{}, Groups: []compare.Group{}},
		new(compare.Findings).Snapshot()); diff != "" {
		t.Error(diff)
	}
}

func TestReportHasItsNamesInJSON(t *testing.T) {
	var f compare.Findings
	f.Add(compare.Where{Endpoint: "tags.list", Language: "fr", Call: "/tags"},
		[]difference{{Path: "tags[]", Kind: compare.Extra, Item: "5", Got: "5"}}, 0)
	got, err := json.Marshal(f.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"counts":[{"endpoint":"tags.list","language":"fr","documents":1,"differing":1,"noise":0}],` +
		`"groups":[{"endpoint":"tags.list","language":"fr","path":"tags[]","kind":"extra","count":1,"documents":1,"examples":[{"call":"/tags","item":"5","got":"5"}]}],"overflow":0}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestFindingsAreBounded finds 30,000 differences in large documents, and measures the
// memory that the findings hold.
func TestFindingsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	const bound = 1 << 20
	c := comparer(t, compare.Rules{})
	long := strings.Repeat("x", 1<<16)
	var f compare.Findings
	before := heap()
	for i := range 30 {
		var want, got strings.Builder
		for j := range 1000 {
			fmt.Fprintf(&want, `,"%d-%d":1`, i, j)
		}
		fmt.Fprintf(&got, `{"%s":1,"x":"%[1]s"}`, long)
		f.Add(compare.Where{Endpoint: "events.list", Language: "en", Call: long},
			c.Documents("events.list", ok(`{"x":"y"`+want.String()+`}`), ok(got.String())), 0)
	}
	if kept := heap() - before; kept > bound {
		t.Errorf("%d bytes are kept", kept)
	}
	if r := f.Snapshot(); len(r.Groups) != 500 || r.Overflow < 25_000 {
		t.Errorf("%d groups, %d beyond", len(r.Groups), r.Overflow)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestFindingsAreShared(t *testing.T) {
	f := compare.Findings{}
	c := comparer(t, compare.Default())
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := range 100 {
				f.Add(compare.Where{Endpoint: "events.list", Language: "en"},
					c.Documents("events.list", ok(`{}`), ok(fmt.Sprintf(`{"%d":1}`, (n+i)%20))), 1)
				f.Snapshot()
			}
		})
	}
	wg.Wait()
	r := f.Snapshot()
	all := r.Overflow
	for _, g := range r.Groups {
		all += g.Count
	}
	want := []compare.Count{{Endpoint: "events.list", Language: "en", Documents: 400, Differing: 400, Noise: 400}}
	if diff := cmp.Diff(want, r.Counts); diff != "" || all != 400 {
		t.Errorf("%d differences, %s", all, diff)
	}
}
