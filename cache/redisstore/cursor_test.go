package redisstore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// cursors are two instances that follow the log of one server.
type cursors struct {
	t      *testing.T
	server *redistest.Server
	a, b   *Store
	stopA  func()
}

func startCursors(t *testing.T) *cursors {
	t.Parallel()
	server := redistest.StartServer(t)
	o := Options{URLs: []string{server.URL()}, Prefix: redistest.FreshPrefix(), Budget: aLongTime, PurgeWait: calmWait}
	c := &cursors{t: t, server: server, a: open(t, o), b: open(t, o)}
	var recA, recB *recorder
	recA, c.stopA = follow(t, c.a)
	recB, _ = follow(t, c.b)
	for _, r := range []*recorder{recA, recB} {
		r.await("caught up", 0, func(n notice) bool { return n.what == "caught" })
	}
	return c
}

func (c *cursors) hold(s *Store) Segment {
	c.t.Helper()
	segment, err := s.HoldCursor(context.Background(), "x", 10)
	must(c.t, err)
	return segment
}

func (c *cursors) move(s *Store, segment Segment, n int) bool {
	c.t.Helper()
	held, err := s.MoveCursor(context.Background(), "x", segment, n, Rejection{})
	must(c.t, err)
	return held
}

func (c *cursors) append(records ...string) {
	c.t.Helper()
	for _, r := range records {
		_, err := c.b.Append(context.Background(), []byte(r))
		must(c.t, err)
	}
}

// begin moves the cursor to the end of the log.
func (c *cursors) begin() {
	c.t.Helper()
	segment := c.hold(c.a)
	if !segment.Held || !segment.Missed {
		c.t.Fatalf("the first segment is %+v, want one that is missed", segment)
	}
	if !c.move(c.a, segment, 0) {
		c.t.Fatal("the cursor is not held")
	}
}

// segmentText shows the records of s. It omits marks: each of the two followers may append one when
// the log was lost, at any time after the other.
func segmentText(s Segment) string {
	var all []string
	for _, i := range s.Items {
		if !i.Mark {
			all = append(all, string(i.Record))
		}
	}
	return fmt.Sprintf("%s missed=%t more=%t", strings.Join(all, ","), s.Missed, s.More)
}

func (c *cursors) wantSegment(what string, s Segment, want string) {
	c.t.Helper()
	if got := segmentText(s); !s.Held || got != want {
		c.t.Errorf("%s: held=%t %s, want %s", what, s.Held, got, want)
	}
}

// TestCursor: one instance reads what follows the cursor, each record until it has moved behind it.
func TestCursor(t *testing.T) {
	c := startCursors(t)
	c.begin()
	c.append("1", "2", "3")
	s := c.hold(c.a)
	c.wantSegment("the first time", s, "1,2,3 missed=false more=false")
	if other := c.hold(c.b); other.Held || other.At != s.At {
		t.Errorf("another instance gets %+v", other)
	}
	c.move(c.a, s, 2)
	c.wantSegment("behind the second", c.hold(c.a), "3 missed=false more=false")
	if c.move(c.a, s, 3) {
		t.Error("an outdated segment has moved the cursor")
	}
	must(t, c.a.LeaveCursor(context.Background(), "x"))
	s = c.hold(c.b)
	c.wantSegment("another instance", s, "3 missed=false more=false")
	if got := c.hold(c.a); got.Held {
		t.Error("two instances hold the cursor")
	}
	c.append("4", "5", "6", "7", "8", "9", "10", "11", "12", "13")
	s = c.hold(c.b)
	c.wantSegment("more than the limit", s, "3,4,5,6,7,8,9,10,11,12 missed=false more=true")
	c.move(c.b, s, 10)
	c.wantSegment("the rest", c.hold(c.b), "13 missed=false more=false")
}

// TestCursorOfTheDead: the cursor of an instance that no longer follows the log is free.
func TestCursorOfTheDead(t *testing.T) {
	c := startCursors(t)
	c.begin()
	c.append("1")
	c.stopA()
	eventually(t, "the other instance holds the cursor", func() bool { return c.hold(c.b).Held })
	c.wantSegment("the heir", c.hold(c.b), "1 missed=false more=false")
	if c.hold(c.a).Held {
		t.Error("an instance that does not follow the log holds the cursor")
	}
}

// TestCursorMissed: what may be gone is reported, once.
func TestCursorMissed(t *testing.T) {
	for name, damage := range map[string]func(*cursors){
		"trimmed": func(c *cursors) { c.server.Do("XTRIM", c.a.logKey(), "MAXLEN", 1) },
		"deleted singly": func(c *cursors) {
			at, err := c.b.Append(context.Background(), []byte("3"))
			must(c.t, err)
			c.server.Do("XDEL", c.a.logKey(), fmt.Sprintf("%d-%d", at>>16, at&0xffff))
		},
		"deleted":          func(c *cursors) { c.server.Do("DEL", c.a.logKey()) },
		"flushed":          func(c *cursors) { c.server.Do("FLUSHALL") },
		"without a cursor": func(c *cursors) { c.server.Do("DEL", c.a.cursorKey("x")) },
	} {
		t.Run(name, func(t *testing.T) {
			c := startCursors(t)
			c.begin()
			c.append("1", "2")
			damage(c)
			var s Segment
			eventually(t, "the loss is reported", func() bool {
				s = c.hold(c.a)
				return s.Held && s.Missed
			})
			c.move(c.a, s, 0)
			c.append("4")
			c.wantSegment("afterwards", c.hold(c.a), "4 missed=false more=false")
		})
	}
}

// TestCursorMarks: after a restart that lost records, the log has a mark behind the cursor.
func TestCursorMarks(t *testing.T) {
	c := startCursors(t)
	c.begin()
	c.server.Do("SAVE")
	c.append("lost")
	c.server.Kill()
	c.server.Start()
	eventually(t, "everything counts as purged", func() bool {
		s, err := c.a.HoldCursor(context.Background(), "x", 10)
		if err != nil || !s.Held {
			s, err = c.b.HoldCursor(context.Background(), "x", 10)
		}
		for _, i := range s.Items {
			if i.Mark {
				return true
			}
		}
		return err == nil && s.Missed
	})
}

// TestRejected: refused records are kept with the cursor, and are bounded.
func TestRejected(t *testing.T) {
	c := startCursors(t)
	c.begin()
	ctx := context.Background()
	for n := range MaxRejected + 2 {
		c.append("r")
		held, err := c.a.MoveCursor(ctx, "x", c.hold(c.a), 1, Rejection{Record: fmt.Append(nil, n), All: []byte("all")})
		must(t, err)
		if !held {
			t.Fatal("not held")
		}
	}
	got, err := c.b.Rejected(ctx, "x")
	must(t, err)
	if len(got) != 2 || string(got[0]) != "all" || string(got[1]) != fmt.Sprint(MaxRejected+1) {
		t.Errorf("rejected: %q", got)
	}
	if s := c.hold(c.a); s.Rejected != 2 {
		t.Errorf("the segment counts %d", s.Rejected)
	}
	must(t, c.b.Forget(ctx, "x", got[:1]))
	if got, err = c.a.Rejected(ctx, "x"); err != nil || len(got) != 1 {
		t.Errorf("after Forget: %q, %v", got, err)
	}
}
