package compare_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/compare"
)

// TestMemory: of 100,000 findings with long texts at many members 10,000 are listed, and the others
// take a few bytes each.
func TestMemory(t *testing.T) {
	const n, limit = 100_000, int64(48 << 20)
	baseline := heap()
	c := &compare.Findings{Most: 10_000}
	long := strings.Repeat("x", compare.MaxShown)
	for i := range n {
		d := compare.Difference{Kind: compare.Value, Path: fmt.Sprint("m", i%40), Want: strings.Clone(long), Got: strings.Clone(long)}
		d.Cause = compare.Cause{Resource: "events", ID: fmt.Sprint(i), Member: d.Path}
		answer := compare.Answer{URL: strings.Repeat("u", 80)}
		c.Add(compare.Step{Language: "en", Resource: "events", ID: fmt.Sprint(i), Responses: []compare.Response{{
			Endpoint: "events.read", Call: fmt.Sprintf("/events/%d",
				i), Legacy: answer, Candidate: answer, Result: compare.Result{Differences: []compare.Difference{d}},
		}}})
	}
	r := c.Snapshot()
	used := heap() - baseline
	t.Logf("%d MiB", used>>20)
	if len(r.Findings) != 10_000 || r.Total != n {
		t.Errorf("%d of %d findings are listed", len(r.Findings), r.Total)
	}
	if used > limit {
		t.Errorf("%d MiB of memory, want at most %d", used>>20, limit>>20)
	}
	runtime.KeepAlive(c)
}
