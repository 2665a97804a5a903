package redisstore

import (
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestTailCompare tests each of the four checks for missed records alone.
func TestTailCompare(t *testing.T) {
	at := func(ms uint64) streamID { return streamID{ms: ms} }
	known := tail{epoch: "e", cursor: at(5), added: 10, since: 2}
	whole := snapshot{epoch: "e", count: 4, added: 13, first: at(3), last: at(7), records: make([]redis.XMessage, 1)}
	for _, c := range []struct {
		what      string
		change    func(*snapshot)
		gap, back bool
	}{
		{"whole", func(*snapshot) {}, false, false},
		{"another epoch", func(s *snapshot) { s.epoch = "f" }, true, false},
		{"behind the cursor", func(s *snapshot) { s.last = at(4) }, true, true},
		{"begins at the cursor", func(s *snapshot) { s.first = at(5) }, false, false},
		// As many records as before were removed, so that the count is right.
		{"begins after the cursor", func(s *snapshot) { s.first = at(6) }, true, false},
		{"one too many was added", func(s *snapshot) { s.added++ }, true, false},
		{"one too few was added", func(s *snapshot) { s.added-- }, true, false},
		{"not read to the end", func(s *snapshot) { s.added++; s.more = true }, false, false},
		{"not counted", func(s *snapshot) { s.added = 0 }, false, false},
	} {
		s := whole
		c.change(&s)
		if gap, back := known.compare(&s); gap != c.gap || back != c.back {
			t.Errorf("%s: gap %v, back %v", c.what, gap, back)
		}
	}
}

// TestRedisFollowMarkTrimmed: when the mark is trimmed the records still have their epoch. An
// instance that starts later distrusts entries older than the log, not all.
func TestRedisFollowMarkTrimmed(t *testing.T) {
	s, _, b, rec, _ := single(t)
	var latest Position
	for range 3 {
		latest = mustAppend(t, b, "record") // b follows, and has the epoch
	}
	rec.caught(0, latest)
	s.Do("XTRIM", b.logKey(), "MAXLEN", "=", "2")
	late, _ := follow(t, b)
	first := late.caught(0, 0)
	if e := late.since(first)[0]; e.at != latest {
		t.Errorf("caught up at %d, want %d: it distrusts known records", e.at, latest)
	}
}
