package compare_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calfacade/calfacade/mapping/compare"
)

// listStep returns a step of a list of events with these differences.
func listStep(language, call string, noise int, differences ...difference) compare.Step {
	return compare.Step{Language: language, Resource: "events", Compared: 1, Responses: []compare.Response{
		{Endpoint: "events.list", Call: call, Result: compare.Result{Differences: differences, Noise: make([]difference, noise)}},
	}}
}

// about returns the cause of a difference of an item, or of the list.
func about(id, member string) compare.Cause {
	return compare.Cause{Resource: "events", ID: id, Member: member}
}

func TestFindings(t *testing.T) {
	var f compare.Findings
	for i := range 7 {
		f.Add(listStep("en", fmt.Sprint("/events?page=", i, "&password=x"), 0,
			difference{Path: "total", Kind: compare.Value, Want: "1", Got: "2", Cause: about("", "total")},
			difference{Path: "events[].title", Kind: compare.Value, Item: "1", Want: "a", Got: "b", Cause: about("1", "title")},
			difference{Path: "events[].title", Kind: compare.Value, Item: "2", Want: "c", Got: "d", Cause: about("2", "title")},
		))
	}
	f.Add(listStep("de", "/events", 4))
	failure := compare.Failure{Language: "en", Resource: "venues", Call: "/venues", Of: "legacy", Why: "no"}
	f.Add(compare.Step{Language: "en", Resource: "venues", Failed: []compare.Failure{failure}})

	var calls []string
	for i := range 6 {
		calls = append(calls, fmt.Sprint("/events?page=", i, "&password=(hidden)"))
	}
	finding := compare.Finding{Language: "en", Subject: compare.Subject{Resource: "events", Kind: "value", Weight: "visible"}, Responses: 7,
		Calls: calls}
	total, first, second := finding, finding, finding
	total.Member = "total"
	total.List = true
	total.Want = "1"
	total.Got = "2"
	first.ID = "1"
	first.Member = "title"
	first.Want = "a"
	first.Got = "b"
	second.ID = "2"
	second.Member = "title"
	second.Want = "c"
	second.Got = "d"
	want := compare.Report{
		Tallies: []compare.Tally{
			{Language: "en", Resource: "events", Affected: 2, Findings: 3, Compared: 7},
			{Language: "de", Resource: "events", Compared: 1, Noise: 4},
			{Language: "en", Resource: "venues", Failed: 1},
		},
		Findings: []compare.Finding{first, second, total},
		Groups: []compare.Group{
			{Subject: compare.Subject{Resource: "events", Member: "title", Kind: "value", Weight: "visible"}, Findings: 2, Listed: 2,
				Languages: map[string]int{"en": 2}},
			{Subject: compare.Subject{Resource: "events", Member: "total", List: true, Kind: "value", Weight: "visible"}, Findings: 1,
				Listed:    1,
				Languages: map[string]int{"en": 1}},
		},
		Total:    3,
		Failures: []compare.Failure{failure},
	}
	got := f.Snapshot()
	hidden := cmp.Options{cmpopts.IgnoreUnexported(compare.Finding{}), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(want, got, hidden); diff != "" {
		t.Error(diff)
	}
	got.Groups[0].Languages["en"] = 9
	if diff := cmp.Diff(want, f.Snapshot(), hidden); diff != "" {
		t.Errorf("a report is not its reader's alone: %s", diff)
	}
	empty := compare.Report{Tallies: []compare.Tally{}, Findings: []compare.Finding{}, Groups: []compare.Group{}}
	if diff := cmp.Diff(empty, new(compare.Findings).Snapshot()); diff != "" {
		t.Error(diff)
	}
}

func TestReportHasItsNamesInJSON(t *testing.T) {
	var f compare.Findings
	f.Add(compare.Step{Language: "fr", Resource: "tags", Compared: 1, Responses: []compare.Response{{Endpoint: "tags.list", Call: "/tags",
		Result: compare.Result{Differences: []difference{{Path: "tags[]", Kind: compare.Extra, Item: "5", Got: "5",
			Cause: compare.Cause{Resource: "tags", ID: "5"}}}}}}})
	got, err := json.Marshal(f.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"cells":[{"language":"fr","resource":"tags","items":0,"affected":0,"findings":1,"failed":0,"compared":1,"noise":0}],` +
		`"findings":[{"language":"fr","resource":"tags","kind":"extra","weight":"serious","id":"5","got":"5","responses":1,` +
		`"calls":["/tags"]}],` +
		`"kinds":[{"resource":"tags","kind":"extra","weight":"serious","findings":1,"listed":1,"languages":{"fr":1}}],"findings_total":1}`
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
	const bound = 2 << 20
	c := comparer(t, compare.Rules{})
	long := strings.Repeat("x", 1<<16)
	var f compare.Findings
	baseline := heap()
	for i := range 30 {
		var want, got strings.Builder
		for j := range 1000 {
			fmt.Fprintf(&want, `,"%d-%d":1`, i, j)
		}
		fmt.Fprintf(&got, `{"%s":1,"x":"%[1]s"}`, long)
		f.Add(listStep("en", long, 0, c.Documents("events.list", ok(`{"x":"y"`+want.String()+`}`), ok(got.String()))...))
	}
	if growth := heap() - baseline; growth > bound {
		t.Errorf("%d bytes are kept", growth)
	}
	if r := f.Snapshot(); len(r.Findings) != 500 || len(r.Groups) > 501 || r.Total < 25_000 {
		t.Errorf("%d findings in %d groups, %d in total", len(r.Findings), len(r.Groups), r.Total)
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
				call := fmt.Sprintf("/events?%d.%d", n, i)
				name := (n + i) % 20
				f.Add(listStep("en", call, 1, c.Documents("events.list", ok(`{}`), ok(fmt.Sprintf(`{"n%d":1}`, name)))...))
				f.Snapshot()
			}
		})
	}
	wg.Wait()
	r := f.Snapshot()
	sum := 0
	for _, finding := range r.Findings {
		sum += finding.Responses
	}
	want := []compare.Tally{{Language: "en", Resource: "events", Compared: 400, Findings: 20, Noise: 400}}
	if diff := cmp.Diff(want, r.Tallies); diff != "" || sum != 400 {
		t.Errorf("%d differences, %s", sum, diff)
	}
}
