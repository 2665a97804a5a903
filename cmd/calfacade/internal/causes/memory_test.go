package causes

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/compare"
)

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemory: of 100,000 findings with long texts at many members 10,000 are listed, and the others
// take a few bytes each.
func TestMemory(t *testing.T) {
	const n, most = 100_000, 48 << 20
	before := heap()
	var c Collector
	long := strings.Repeat("x", compare.MaxShown)
	for i := range n {
		s := Seen{Language: "en", Endpoint: "events.read", Call: fmt.Sprintf("/events/%d", i), Item: fmt.Sprint(i)}
		s.Kind, s.Path = compare.Value, fmt.Sprint("m", i%40)
		s.Want, s.Got = strings.Clone(long), strings.Clone(long)
		s.Cause = compare.Cause{Resource: "events", ID: fmt.Sprint(i), Member: s.Path, Values: fmt.Sprintf("%016x", i)}
		s.Legacy.URL, s.Candidate.URL = strings.Repeat("u", 80), strings.Repeat("u", 80)
		s.Legacy.File, s.Candidate.File = strings.Repeat("f", 60), strings.Repeat("f", 60)
		c.Add([]Seen{s})
	}
	r := c.Result()
	used := heap() - before
	t.Logf("%d MiB", used>>20)
	if len(r.Findings) != 10_000 || r.Total != n || r.Ungrouped != 0 {
		t.Errorf("%d of %d findings are listed, %d are not grouped", len(r.Findings), r.Total, r.Ungrouped)
	}
	if used > most {
		t.Errorf("%d MiB of memory, want at most %d", used>>20, most>>20)
	}
	runtime.KeepAlive(&c)
}
