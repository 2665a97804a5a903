package cache

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLog(t *testing.T) {
	l := NewLog()
	entry := func(tags ...string) *Entry { return &Entry{Tags: tags, Position: l.Position()} }
	want := func(name string, e *Entry, want verdict) {
		t.Helper()
		for range 2 { // the second time the verdict is cached
			if got, _ := l.judge(e); got != want {
				t.Errorf("%s: got %d, want %d", name, got, want)
			}
		}
	}
	old := entry("a", "b")
	unrelated := entry("c")
	want("nothing purged", old, valid)
	l.apply(0, record{Purge: Purge{Tags: []string{"b", "x"}}}, time.Time{})
	want("its tag was purged", old, purged)
	want("another tag was purged", unrelated, valid)
	want("fetched after the purge", entry("b"), valid)

	soft := entry("d")
	l.apply(0, record{Purge: Purge{Tags: []string{"d"}, Soft: true}}, time.Time{})
	want("softly purged", soft, softPurged)
	l.apply(0, record{Purge: Purge{Tags: []string{"d"}}}, time.Time{})
	want("softly and then purged", soft, purged)

	late := entry("e")
	l.apply(0, record{Purge: Purge{All: true, Soft: true}}, time.Time{})
	want("all softly purged", late, softPurged)
	l.apply(0, record{Purge: Purge{All: true}}, time.Time{})
	want("all purged", late, purged)
	want("fetched after all", entry("e"), valid)
}

// TestLogLateDistrust: distrust that comes late does not undo a later purge.
func TestLogLateDistrust(t *testing.T) {
	l := NewLog()
	l.apply(10, record{Purge: Purge{Tags: []string{"a"}}}, time.Time{})
	l.Distrust(5)
	if got, _ := l.judge(&Entry{Tags: []string{"a"}, Position: 7}); got != purged {
		t.Errorf("the later purge is gone: %d", got)
	}
}

// TestLogOrder: purges of the shared log may arrive twice and late.
func TestLogOrder(t *testing.T) {
	l := NewLog()
	l.apply(10, record{Purge: Purge{Tags: []string{"a"}}}, time.Time{})
	e := &Entry{Tags: []string{"a"}, Position: l.Position()}
	l.apply(5, record{Purge: Purge{Tags: []string{"a"}}}, time.Time{})
	l.apply(10, record{Purge: Purge{Tags: []string{"a"}}}, time.Time{})
	if got, _ := l.judge(e); got != valid {
		t.Errorf("an old purge purged a new entry: %d", got)
	}
	if got := l.Position(); got != 10 {
		t.Errorf("position %d, want 10", got)
	}
	late := &Entry{Tags: []string{"b"}, Position: 7}
	if got, _ := l.judge(late); got != valid {
		t.Errorf("nothing purged it: %d", got)
	}
	l.apply(8, record{Purge: Purge{Tags: []string{"b"}}}, time.Time{}) // of another instance, received after the own one at 10
	if got, _ := l.judge(late); got != purged {
		t.Errorf("a late purge had no effect: %d", got)
	}
	l.Distrust(20)
	if got, _ := l.judge(e); got != purged {
		t.Errorf("distrusted, but %d", got)
	}
}

// TestLogIsBounded: past the bound too many entries are purged, never too few.
func TestLogIsBounded(t *testing.T) {
	l := NewLog()
	e := &Entry{Tags: []string{"t0"}, Position: l.Position()}
	for i := range maxMarks + 2 {
		l.apply(0, record{Purge: Purge{Tags: []string{fmt.Sprint("t", i)}}}, time.Time{})
	}
	if n := len(l.hard.tags); n > maxMarks {
		t.Errorf("%d tags in the log", n)
	}
	if got, _ := l.judge(e); got != purged {
		t.Errorf("an evicted purge has no effect: %d", got)
	}
}

func TestPurgeRecords(t *testing.T) {
	const v = recordVersion
	for _, want := range []record{
		{Version: v, Purge: Purge{Tags: []string{"a"}}},
		{Version: v, Purge: Purge{Tags: []string{"a", "b:c"}, Soft: true}},
		{Version: v, Purge: Purge{All: true}},
		{Version: v, Purge: Purge{All: true, Soft: true}},
		{Version: v, Purge: Purge{All: true}, Ends: "x"},
		{Version: v, Purge: Purge{Tags: []string{"a"}, Soft: true}, Space: "s"},
		{Version: v, Purge: Purge{All: true}, Space: "s"},
		{Version: v, Purge: Purge{Tags: []string{"a"}}, Ends: "x", Begins: true, ID: "y"},
		{Version: v, Purge: Purge{Tags: []string{"a"}}, Begins: true, Note: true, ID: "y"},
		{Version: v, Ends: "x", Note: true},
	} {
		if diff := cmp.Diff(want, decodeRecord(want.encode())); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	// Others than the first were written by other versions, in which entries have other tags.
	for _, foreign := range []string{"", "x", "{}", `{"v":3}`, `{"v":4,"tags":["b"]}`, `{"tags":["b"]}`, "hard2", "soft2\nes:events:12"} {
		if got := decodeRecord([]byte(foreign)); !got.All || got.Soft {
			t.Errorf("%q: got %+v, want everything", foreign, got)
		}
	}
}
