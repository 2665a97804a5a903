package cache

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLog(t *testing.T) {
	l := NewLog()
	entry := func(tags ...string) *Entry { return &Entry{Tags: tags, Position: l.Position()} }
	want := func(name string, e *Entry, want verdict) {
		t.Helper()
		for range 2 { // the second time the verdict is cached
			if got := l.judge(e); got != want {
				t.Errorf("%s: got %d, want %d", name, got, want)
			}
		}
	}
	before, other := entry("a", "b"), entry("c")
	want("nothing purged", before, valid)
	l.next(record{Purge: Purge{Tags: []string{"b", "x"}}})
	want("its tag was purged", before, purged)
	want("another tag was purged", other, valid)
	want("fetched after the purge", entry("b"), valid)

	soft := entry("d")
	l.next(record{Purge: Purge{Tags: []string{"d"}, Soft: true}})
	want("softly purged", soft, softPurged)
	l.next(record{Purge: Purge{Tags: []string{"d"}}})
	want("softly and then purged", soft, purged)

	all := entry("e")
	l.next(record{Purge: Purge{All: true, Soft: true}})
	want("all softly purged", all, softPurged)
	l.next(record{Purge: Purge{All: true}})
	want("all purged", all, purged)
	want("fetched after all", entry("e"), valid)
}

// TestLogLateDistrust: what is distrusted late does not undo a later purge.
func TestLogLateDistrust(t *testing.T) {
	l := NewLog()
	l.apply(10, record{Purge: Purge{Tags: []string{"a"}}})
	l.Distrust(5)
	if got := l.judge(&Entry{Tags: []string{"a"}, Position: 7}); got != purged {
		t.Errorf("the later purge is gone: %d", got)
	}
}

// TestLogOrder: purges of the shared log may arrive twice and late.
func TestLogOrder(t *testing.T) {
	l := NewLog()
	l.apply(10, record{Purge: Purge{Tags: []string{"a"}}})
	e := &Entry{Tags: []string{"a"}, Position: l.Position()}
	l.apply(5, record{Purge: Purge{Tags: []string{"a"}}})
	l.apply(10, record{Purge: Purge{Tags: []string{"a"}}})
	if got := l.judge(e); got != valid {
		t.Errorf("an old purge purged a new entry: %d", got)
	}
	if got := l.Position(); got != 10 {
		t.Errorf("position %d, want 10", got)
	}
	late := &Entry{Tags: []string{"b"}, Position: 7}
	if got := l.judge(late); got != valid {
		t.Errorf("nothing purged it: %d", got)
	}
	l.apply(8, record{Purge: Purge{Tags: []string{"b"}}}) // of another instance, received after the own one at 10
	if got := l.judge(late); got != purged {
		t.Errorf("a late purge had no effect: %d", got)
	}
	l.Distrust(20)
	if got := l.judge(e); got != purged {
		t.Errorf("distrusted, but %d", got)
	}
}

// TestLogIsBounded: past the bound too many entries are purged, never too few.
func TestLogIsBounded(t *testing.T) {
	l := NewLog()
	e := &Entry{Tags: []string{"t0"}, Position: l.Position()}
	for i := range maxMarks + 2 {
		l.next(record{Purge: Purge{Tags: []string{fmt.Sprint("t", i)}}})
	}
	if n := len(l.hard.tags); n > maxMarks {
		t.Errorf("%d tags in the log", n)
	}
	if got := l.judge(e); got != purged {
		t.Errorf("an evicted purge has no effect: %d", got)
	}
}

func TestPurgeRecords(t *testing.T) {
	for _, want := range []record{
		{Purge: Purge{Tags: []string{"a"}}},
		{Purge: Purge{Tags: []string{"a", "b:c"}, Soft: true}},
		{Purge: Purge{All: true}},
		{Purge: Purge{All: true, Soft: true}},
		{Purge: Purge{All: true}, settles: "x"},
		{Purge: Purge{Tags: []string{"a"}, Soft: true}, space: "s"},
		{Purge: Purge{All: true}, space: "s"},
		{Purge: Purge{Tags: []string{"a"}}, settles: "x", doubt: "y"},
		{Purge: Purge{Tags: []string{"a"}, Soft: true}, doubt: "y", note: true},
		{Purge: Purge{Soft: true}, settles: "x", note: true},
	} {
		if diff := cmp.Diff(want, decodeRecord(want.encode()), cmp.AllowUnexported(record{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	// The last two were written by versions in which entries had other tags.
	for _, foreign := range []string{"", "x", "hard2", "later\nb", "hard\nes:events:12", "soft\nes:events:12"} {
		if got := decodeRecord([]byte(foreign)); !got.All || got.Soft {
			t.Errorf("%q: got %+v, want everything", foreign, got)
		}
	}
}
