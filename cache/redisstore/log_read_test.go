package redisstore

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// single returns a server, and two instances. The second has read the log.
func single(t *testing.T, args ...string) (s *redistest.Server, a, b *Store, rec *recorder) {
	t.Parallel()
	s = redistest.StartServer(t, args...)
	o := Options{URLs: []string{s.URL()}, Timeout: aLongTime, Brief: aLongTime}
	a = open(t, o)
	b = open(t, o)
	rec = follow(t, b)
	p := mustAppend(t, a, "first")
	caughtUp(t, b)
	rec.covers("first", p)
	return s, a, b, rec
}

// unchecked makes the next check due: a log read between two checks may miss the acts of this test.
func unchecked(r *Store) { r.tail.checked = time.Time{} }

// TestLogReadShared: requests that arrive during a log read share the next one, which begins after they
// arrived, and there is at most one at a time.
func TestLogReadShared(t *testing.T) {
	var l logReads
	const requests = 100
	var running, reads, maximum int
	release := make(chan struct{})
	begun := make(chan struct{}, requests)
	readLog := func() error {
		running++ // unsynchronized: the race detector sees two at a time
		reads = reads + 1
		maximum = max(maximum, running)
		begun <- struct{}{}
		<-release
		running--
		return errors.New("no")
	}
	var group sync.WaitGroup
	errs := make(chan error, requests)
	group.Go(func() { errs <- l.join(readLog) })
	<-begun
	for range requests - 1 {
		group.Go(func() { errs <- l.join(readLog) })
	}
	eventually(t, "others wait", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.next != nil
	})
	close(release)
	group.Wait()
	for range requests {
		if err := <-errs; err == nil {
			t.Error("a request does not know that its log read failed")
		}
	}
	if maximum != 1 || reads < 2 || reads == requests {
		t.Errorf("%d log reads for %d requests, %d at a time", reads, requests, maximum)
	}
	if l.next != nil {
		t.Error("it is not idle afterwards")
	}
}

// TestLogReadPanics: a log read that panics fails for all that wait, and the next one is made.
func TestLogReadPanics(t *testing.T) {
	var l logReads
	func() {
		defer func() { _ = recover() }()
		_ = l.join(func() error { panic("no") })
	}()
	if err := l.join(func() error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestLogReadEvery: within the time no further log read is made, and the end may be an older one.
func TestLogReadEvery(t *testing.T) {
	t.Parallel()
	s := redistest.StartServer(t)
	r := open(t, Options{URLs: []string{s.URL()}, ReadLogEvery: time.Hour})
	rec := follow(t, r)
	reads := r.Stats().LogReads // the first may have timed out
	p := mustAppend(t, r, "later")
	must(t, r.ReadLog())
	if more := r.Stats().LogReads - reads; more != 0 || rec.reached >= p {
		t.Errorf("%d more log reads, up to %d of %d", more, rec.reached, p)
	}
}

// TestLogReadIdle: an instance without requests sends nothing.
func TestLogReadIdle(t *testing.T) {
	s, _, b, _ := single(t)
	must(t, b.ReadLog())
	start := s.Admin.Info(background, "stats").Val()
	pause(background, 3*checkEvery)
	end := s.Admin.Info(background, "stats").Val()
	// INFO itself is the one command between.
	if got := count(t, end) - count(t, start); got != 1 {
		t.Errorf("%d commands while idle", got-1)
	}
}

func count(t *testing.T, info string) (n int) {
	t.Helper()
	_, err := fmt.Sscan(infoField("\n"+info, "total_commands_processed"), &n)
	must(t, err)
	return n
}

// TestLogReadCommands: a log read between two checks is one command.
func TestLogReadCommands(t *testing.T) {
	s, _, b, _ := single(t)
	for try := 0; ; try++ {
		must(t, b.ReadLog())
		checked := b.tail.checked
		start := count(t, s.Admin.Info(background, "stats").Val())
		for range 10 {
			must(t, b.ReadLog())
		}
		if end := count(t, s.Admin.Info(background, "stats").Val()); b.tail.checked.Equal(checked) {
			if end-start != 11 {
				t.Errorf("%d commands for 10 log reads", end-start-1)
			}
			return
		} else if try == 100 {
			t.Fatal("each time a check was due")
		}
	}
}

// TestLogReadFlushes: pending records are in the log before the log read reads it.
func TestLogReadFlushes(t *testing.T) {
	_, _, b, rec := single(t)
	rec.pending = []string{"one", "two"}
	must(t, b.ReadLog())
	if got := rec.records(); !slices.Equal(got, []string{"first", "one", "two"}) {
		t.Errorf("got %q", got)
	}
}

// TestLogReadKilled: after a killed connection no record is lost, and no entry distrusted.
func TestLogReadKilled(t *testing.T) {
	s, a, b, rec := single(t)
	for i := range 5 {
		s.Do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
		p := mustAppend(t, a, i)
		must(t, b.ReadLog())
		rec.covers(fmt.Sprint(i), p)
	}
	if s := b.Stats(); s.Breaks != 0 || s.Trips != 0 {
		t.Errorf("stats = %+v", s)
	}
}

// TestLogReadFlushed: FLUSHALL is detected whatever is appended around it, also within one
// transaction, where the first record is never visible.
func TestLogReadFlushed(t *testing.T) {
	s, a, b, rec := single(t)
	n := len(rec.notices)
	s.Do("FLUSHALL")
	unchecked(b)
	must(t, b.ReadLog())
	if rec.distrusts(n) == 0 {
		t.Error("the loss was not seen")
	}
	p := mustAppend(t, a, "after")
	must(t, b.ReadLog())
	rec.covers("after", p)

	var ids [2]*redis.StringCmd
	_, err := s.Admin.TxPipelined(background, func(p redis.Pipeliner) error {
		for i, record := range []string{"unseen", "after"} {
			ids[i] = p.XAdd(background, &redis.XAddArgs{Stream: b.logKey, Values: []any{fieldRecord, record}})
			if i == 0 {
				p.FlushAll(background)
			}
		}
		return nil
	})
	must(t, err)
	unchecked(b)
	must(t, b.ReadLog())
	rec.covers("unseen", position(t, ids[0].Val()))
	rec.covers("after", position(t, ids[1].Val()))
}

func position(t *testing.T, id string) Position {
	t.Helper()
	p, err := positionOf(id)
	must(t, err)
	return p
}

// TestLogReadDeleted: a record deleted before it is read is detected by the count alone.
func TestLogReadDeleted(t *testing.T) {
	s, _, b, rec := single(t)
	var deleted, next *redis.StringCmd
	_, err := s.Admin.TxPipelined(background, func(p redis.Pipeliner) error {
		deleted = p.XAdd(background, &redis.XAddArgs{Stream: b.logKey, ID: "99999999999999-1", Values: []any{fieldRecord, "gone"}})
		p.XDel(background, b.logKey, "99999999999999-1")
		next = p.XAdd(background, &redis.XAddArgs{Stream: b.logKey, Values: []any{fieldRecord, "next"}})
		return nil
	})
	must(t, err)
	unchecked(b)
	must(t, b.ReadLog())
	rec.covers("gone", position(t, deleted.Val()))
	rec.covers("next", position(t, next.Val()))
	if b.Stats().Breaks == 0 {
		t.Error("no break was counted")
	}
}

// TestLogReadTrimmed: an instance that does not read the log for a long time, while more is appended than the
// log keeps, distrusts the records that it has missed.
func TestLogReadTrimmed(t *testing.T) {
	s, a, b, rec := single(t)
	n := len(rec.notices)
	places := map[string]Position{}
	for i := range 50 {
		places[fmt.Sprint(i)] = mustAppend(t, a, i)
	}
	s.Do("XTRIM", a.logKey, "MAXLEN", "=", "5")
	unchecked(b)
	must(t, b.ReadLog())
	for record, p := range places {
		rec.covers(record, p)
	}
	if rec.distrusts(n) == 0 {
		t.Error("nothing is distrusted")
	}
}

// TestLogLength: the log is trimmed to about the configured length.
func TestLogLength(t *testing.T) {
	s := redistest.StartServer(t)
	a := open(t, Options{URLs: []string{s.URL()}, LogLength: 100})
	for i := range 1000 {
		mustAppend(t, a, i)
	}
	if n := s.Admin.XLen(background, a.logKey).Val(); n < 100 || n > 300 {
		t.Errorf("the log has %d records, want about 100", n)
	}
	if notices := follow(t, a).notices; notices[0].kind != "distrust" || notices[0].position != notices[1].position ||
		notices[1].record == "0" {
		t.Errorf("got %v, want distrust of all before the first record", notices[:2])
	}
}

// TestLogReadMarkTrimmed: when the mark is trimmed the records still have their epoch. An instance that
// starts later distrusts entries older than the log, not all.
func TestLogReadMarkTrimmed(t *testing.T) {
	s, _, b, _ := single(t)
	var latest Position
	for range 3 {
		latest = mustAppend(t, b, "record") // b has read the log, and knows the epoch
	}
	s.Do("XTRIM", b.logKey, "MAXLEN", "=", "2")
	late := follow(t, open(t, b.options))
	if late.reached != latest {
		t.Errorf("reached %d, want %d: it distrusts known records", late.reached, latest)
	}
}

// TestLogReadSnapshot: a server restarts with an older snapshot, and the log continues from there.
func TestLogReadSnapshot(t *testing.T) {
	s, a, b, rec := single(t)
	away := follow(t, a) // and does not read the log until the records are lost
	s.Do("SAVE")
	dropped := mustAppend(t, b, "lost")
	must(t, b.ReadLog())
	rec.covers("lost", dropped)
	s.Kill()
	s.Start()
	n := len(rec.notices)
	p := mustAppend(t, b, "after")
	caughtUp(t, b)
	rec.covers("after", p)
	if rec.distrusts(n) < dropped {
		t.Error("what was lost is trusted")
	}
	// The stream shows this follower no loss: it read the snapshot and the records after it.
	caughtUp(t, a)
	away.covers("lost", dropped)
}

// TestLogReadBack: positions are not assigned again when the stream is behind the last record that was read.
func TestLogReadBack(t *testing.T) {
	s, a, b, rec := single(t)
	far := s.Admin.XAdd(background, &redis.XAddArgs{Stream: a.logKey, ID: "99999999999999-1", Values: []any{fieldRecord, "far"}})
	must(t, far.Err())
	must(t, b.ReadLog())
	n := len(rec.notices)
	s.Do("FLUSHALL")
	mustAppend(t, a, "again")
	unchecked(b)
	must(t, b.ReadLog())
	if e := rec.distrusts(n); e <= position(t, far.Val()) {
		t.Errorf("distrusts all before %d, although entries from %d exist", e, position(t, far.Val()))
	}
	if p := mustAppend(t, a, "next"); p <= position(t, far.Val()) {
		t.Errorf("a purge at %d does not reach entries from %d", p, position(t, far.Val()))
	}
}

// TestLogReadBehindKnown: a stream that was lost, and that another instance began again, gets behind
// the records that this one knows beyond its cursor, such as a purge of its own.
func TestLogReadBehindKnown(t *testing.T) {
	s, a, b, rec := single(t)
	second := follow(t, a)
	rec.limit = rec.reached + 60_000<<16 // as if the clock was ahead when it was appended
	s.Do("FLUSHALL")
	unchecked(a)
	must(t, a.ReadLog()) // begins the stream again
	unchecked(b)
	must(t, b.ReadLog())
	if p := rec.distrusts(0); p <= rec.limit {
		t.Errorf("distrusts everything before %d, although entries from %d exist", p, rec.limit)
	}
	must(t, a.ReadLog())
	if p := second.distrusts(0); p <= rec.limit {
		t.Errorf("the other instance distrusts everything before %d, want more than %d", p, rec.limit)
	}
	if p := mustAppend(t, a, "next"); p <= rec.limit {
		t.Errorf("a purge at %d does not reach entries from %d", p, rec.limit)
	}
}

// TestClockBack: when the clock of Redis was set back, all instances distrust everything older, and
// have the new time.
func TestClockBack(t *testing.T) {
	_, a, b, rec := single(t)
	second := follow(t, a)
	ahead := func(r *Store) {
		clock := *r.clock.Load()
		clock.redis = clock.redis.Add(time.Minute)
		r.clock.Store(&clock)
	}
	first := mustAppend(t, a, "before")
	ahead(a) // as both saw the clock before it was set back
	ahead(b)
	unchecked(b)
	must(t, b.ReadLog())
	if p := rec.distrusts(0); p <= first {
		t.Errorf("distrusts everything before %d, want more than %d", p, first)
	}
	must(t, a.ReadLog())
	if p := second.distrusts(0); p <= first {
		t.Errorf("the other instance distrusts everything before %d, want more than %d", p, first)
	}
	for _, r := range []*Store{a, b} {
		if ahead := time.Until(r.Now()); ahead > 30*time.Second {
			t.Errorf("its time is %v ahead", ahead)
		}
	}
	n := len(rec.notices)
	unchecked(b)
	must(t, b.ReadLog())
	if rec.distrusts(n) != 0 && b.Stats().Breaks > 2 {
		t.Error("it distrusts again and again")
	}
}

func TestLogReadFailover(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(redistest.Sentinel, testing.TB)
	}{
		{name: "requested", do: redistest.Sentinel.Failover},
		{name: "killed", do: func(s redistest.Sentinel, t testing.TB) { s.Master.Kill(); s.Await(t) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartSentinel(t)
			o := Options{URLs: s.URLs()}
			a := open(t, o)
			b := open(t, o)
			rec := follow(t, b)
			mustAppend(t, a, "first")
			caughtUp(t, b)
			n := len(rec.notices)
			test.do(s, t)
			var p Position
			eventually(t, "appended", func() bool {
				var err error
				p, err = a.Append(background, []byte("second"))
				return err == nil
			})
			eventually(t, "the new master is seen", func() bool { caughtUp(t, b); return rec.distrusts(n) > 0 })
			rec.covers("second", p)
		})
	}
}

// TestLogReadBehind: a replica without records that its master acknowledged becomes the master, and
// appends other records before any log read.
func TestLogReadBehind(t *testing.T) {
	master := redistest.StartServer(t)
	replica := redistest.StartServer(t)
	relay := redistest.StartRelay(t, master.Address)
	o := Options{URLs: []string{"redis://" + relay.Address}, Brief: time.Second}
	a := open(t, o)
	b := open(t, o)
	rec := follow(t, b)
	mustAppend(t, a, "first")
	caughtUp(t, b)
	host, port, _ := net.SplitHostPort(master.Address)
	replica.Do("REPLICAOF", host, port)
	eventually(t, "replica has the log", func() bool { return replica.Admin.Exists(background, a.logKey).Val() == 1 })
	replica.Do("REPLICAOF", "NO", "ONE")

	relay.Cut(true)
	o.URLs = []string{master.URL()}
	dropped := mustAppend(t, open(t, o), "lost")
	o.URLs = []string{replica.URL()}
	mustAppend(t, open(t, o), "after 1")
	p := mustAppend(t, open(t, o), "after 2")
	relay.To(replica.Address)
	relay.Cut(false)
	caughtUp(t, b)
	rec.covers("lost", dropped)
	rec.covers("after 2", p)
	// And a follower that starts now.
	late := follow(t, a)
	late.covers("lost", dropped)
}

// TestLogReadStress: with appends from two instances, and connections cut meanwhile, no record is
// missed by the log read after it.
func TestLogReadStress(t *testing.T) {
	s, a, b, rec := single(t)
	cuts := make(chan struct{})
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		for range cuts {
			s.Admin.Do(background, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
		}
	}()
	for i := range 1000 {
		if i%8 == 0 { // not by time: on a busy machine one append would never get through
			cuts <- struct{}{}
		}
		p := mustAppend(t, []*Store{a, b}[i%2], i)
		must(t, b.ReadLog())
		rec.covers(fmt.Sprint(i), p)
	}
	close(cuts)
	<-cut
	if b.Stats().Breaks != 0 {
		t.Errorf("stats = %+v, want no breaks", b.Stats())
	}
}

// TestDecisionsLost: an instance knows the decisions that Redis has lost.
func TestDecisionsLost(t *testing.T) {
	t.Parallel()
	server := redistest.StartServer(t)
	a := newDecider(t, Options{URLs: []string{server.URL()}})
	a.latest(t)
	_, err := a.Decide(background, Replacement{State: "one"})
	must(t, err)
	if got := a.latest(t); got != "one" {
		t.Errorf("got %q", got)
	}
	server.Do("FLUSHALL")
	unchecked(a.Store)
	if got := a.latest(t); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestTailGap tests each of the checks for missed records alone.
func TestTailGap(t *testing.T) {
	inMillis := func(ms Position) Position { return ms << 16 }
	cursor := tail{epoch: "e", cursor: inMillis(5), added: 10, since: 2}
	complete := snapshot{epoch: "e", count: 4, added: 13, first: inMillis(3), last: inMillis(7), records: make([]Item, 1)}
	for _, c := range []struct {
		name   string
		change func(*snapshot)
		gap    bool
	}{
		{name: "whole", change: func(*snapshot) {}, gap: false},
		{name: "another epoch", change: func(s *snapshot) { s.epoch = "f" }, gap: true},
		{name: "begins at the cursor", change: func(s *snapshot) { s.first = inMillis(5) }, gap: false},
		// As many records as before were removed, so that the count is right.
		{name: "begins after the cursor", change: func(s *snapshot) { s.first = inMillis(6) }, gap: true},
		{name: "one too many was added", change: func(s *snapshot) { s.added++ }, gap: true},
		{name: "one too few was added", change: func(s *snapshot) { s.added-- }, gap: true},
		{name: "not read to the end", change: func(s *snapshot) { s.added++; s.truncated = true }, gap: false},
		{name: "not counted", change: func(s *snapshot) { s.added = 0 }, gap: false},
	} {
		s := complete
		c.change(&s)
		if got := cursor.gap(&s); got != c.gap {
			t.Errorf("%s: gap %v", c.name, got)
		}
	}
}

func TestPosition(t *testing.T) {
	for _, id := range []string{"x-1", "1-x", "1", "", "1-65536", "999999999999999-0"} {
		if p, err := positionOf(id); err == nil {
			t.Errorf("%s is the position %d", id, p)
		}
	}
	a := position(t, "1-2")
	b := position(t, "2-1")
	if a >= b || a.id() != "1-2" || position(t, "1-65535")+1 != position(t, "2-0") {
		t.Error("positions are not in order")
	}
	if got := position(t, "1800000000000-7").Time(); !got.Equal(time.UnixMilli(1_800_000_000_000)) {
		t.Errorf("got %v", got)
	}
}
