package redisstore

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// single returns a server, and two instances of which the second follows the log and has
// caught up with a first record.
func single(t *testing.T, args ...string) (s *redistest.Server, a, b *Store, rec *recorder, stop func()) {
	t.Parallel()
	s = redistest.StartServer(t, args...)
	o := Options{URLs: []string{s.URL()}, PurgeWait: calmWait}
	a, b = open(t, o), open(t, o)
	rec, stop = follow(t, b)
	rec.caught(0, mustAppend(t, a, "first"))
	return s, a, b, rec, stop
}

// testFollowEnds: Follow returns at once when its context ends or the store is closed, also while it
// waits for records.
func testFollowEnds(t *testing.T, o Options, run redistest.Topology) {
	o.PurgeWait = time.Hour // of which a read takes a part
	for how, end := range map[string]func(*Store, context.CancelFunc){
		"context": func(_ *Store, cancel context.CancelFunc) { cancel() },
		"close":   func(r *Store, _ context.CancelFunc) { must(t, r.Close()) },
	} {
		r := open(t, o)
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		done := make(chan struct{})
		go func() { defer close(done); r.Follow(ctx, newRecorder(t)) }()
		eventually(t, "it waits for records", func() bool {
			return slices.ContainsFunc(run.Masters, func(s *redistest.Server) bool {
				return strings.Contains(s.Do("INFO", "clients").(string), "blocked_clients:1")
			})
		})
		end(r, cancel)
		select {
		case <-done:
		case <-time.After(aLongTime):
			t.Fatalf("Follow has not returned: %s", how)
		}
	}
}

// TestRedisFollowKilled: after a killed connection no record is lost, and no entry distrusted.
func TestRedisFollowKilled(t *testing.T) {
	s, a, b, rec, _ := single(t)
	for i := range 5 {
		n := rec.len()
		s.Do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
		record := fmt.Sprint("after kill ", i)
		at := mustAppend(t, a, record)
		rec.covers(rec.caught(n, at), record, at)
		rec.applied(n, record)
	}
	if s := b.Stats(); s.Breaks != 0 || s.Losses == 0 {
		t.Errorf("stats = %+v, want losses and no breaks", s)
	}
}

// TestRedisFollowFrozen: while Redis hangs the follower is lost, and catches up afterwards.
func TestRedisFollowFrozen(t *testing.T) {
	s, a, b, rec, _ := single(t)
	n := rec.len()
	s.Freeze()
	n = rec.await("lost", n, func(e notice) bool { return e.what == "lost" })
	eventually(t, "the follower reports that Redis hangs", func() bool { return !b.Stats().Up })
	s.Resume()
	at := mustAppend(t, a, "after")
	rec.applied(n, "after")
	rec.covers(rec.caught(n, at), "after", at)
	if b.Stats().Breaks != 0 {
		t.Errorf("stats = %+v, want no breaks", b.Stats())
	}
}

// TestRedisFollowFlushed: FLUSHALL is detected whatever is appended around it, also within one
// transaction, where the first record is never visible.
func TestRedisFollowFlushed(t *testing.T) {
	s, a, _, rec, _ := single(t)
	t.Run("flushed", func(t *testing.T) {
		n := rec.len()
		s.Do("FLUSHALL")
		n = rec.distrusted(n)
		rec.caught(n, 0)
		at := mustAppend(t, a, "after")
		rec.covers(rec.caught(n, at), "after", at)
		rec.applied(n, "after")
	})
	t.Run("unseen", func(t *testing.T) {
		n := rec.len()
		unseen, at := replaced(t, s, a)
		rec.covers(rec.caught(n, at), "unseen", unseen)
		rec.covers(rec.len()-1, "after", at)
		rec.distrusted(n)
	})
	t.Run("unseen while away", func(t *testing.T) {
		away, stop := follow(t, a)
		away.caught(0, 0)
		stop()
		n := away.len()
		// The new stream has as many records as this one saw of the old.
		unseen, at := replaced(t, s, a)
		away.follow(a)
		away.covers(away.caught(n, at), "unseen", unseen)
	})
}

// replaced appends a record, flushes, and appends another, before any read between.
func replaced(t *testing.T, s *redistest.Server, r *Store) (unseen, at Position) {
	t.Helper()
	var ids [2]*redis.StringCmd
	_, err := s.Admin.TxPipelined(background, func(p redis.Pipeliner) error {
		for i, record := range []string{"unseen", "after"} {
			ids[i] = p.XAdd(background, &redis.XAddArgs{Stream: r.logKey(), Values: []any{fieldRecord, record}})
			if i == 0 {
				p.FlushAll(background)
			}
		}
		return nil
	})
	must(t, err)
	return positionOf(t, ids[0].Val()), positionOf(t, ids[1].Val())
}

func positionOf(t *testing.T, id string) Position {
	t.Helper()
	at, err := parseStreamID(id)
	must(t, err)
	return at.position()
}

// TestRedisFollowDeleted: a record deleted before it is read is detected by the count alone.
func TestRedisFollowDeleted(t *testing.T) {
	s, a, b, rec, _ := single(t)
	n := rec.len()
	var gone, next *redis.StringCmd
	_, err := s.Admin.TxPipelined(background, func(p redis.Pipeliner) error {
		gone = p.XAdd(background, &redis.XAddArgs{Stream: a.logKey(), ID: "99999999999999-1", Values: []any{fieldRecord, "gone"}})
		p.XDel(background, a.logKey(), "99999999999999-1")
		next = p.XAdd(background, &redis.XAddArgs{Stream: a.logKey(), Values: []any{fieldRecord, "next"}})
		return nil
	})
	must(t, err)
	at := positionOf(t, next.Val())
	rec.covers(rec.caught(n, at), "gone", positionOf(t, gone.Val()))
	rec.covers(rec.len()-1, "next", at)
	if b.Stats().Breaks == 0 {
		t.Error("no break was counted")
	}
}

// TestRedisFollowTrimmed: the log is trimmed past a follower that is blocked in Apply.
func TestRedisFollowTrimmed(t *testing.T) {
	s, a, _, rec, _ := single(t)
	n := rec.len()
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	defer release()
	rec.mu.Lock()
	rec.hold = hold
	rec.mu.Unlock()
	mustAppend(t, a, "asleep")
	rec.await("hold", n, func(e notice) bool { return e.what == "hold" }) // it has read no record after this one
	places := map[string]Position{}
	var latest Position
	for i := range 50 {
		record := fmt.Sprint("trimmed ", i)
		latest = mustAppend(t, a, record)
		places[record] = latest
	}
	s.Do("XTRIM", a.logKey(), "MAXLEN", "=", "5")
	rec.mu.Lock()
	rec.hold = nil
	rec.mu.Unlock()
	release()
	end := rec.caught(n, latest)
	for record, at := range places {
		rec.covers(end, record, at)
	}
	rec.distrusted(n)
}

// TestRedisLogLength: the log is trimmed to about the configured length.
func TestRedisLogLength(t *testing.T) {
	s := redistest.StartServer(t)
	a := open(t, Options{URLs: []string{s.URL()}, PurgeWait: calmWait, LogLength: 100})
	for i := range 1000 {
		mustAppend(t, a, fmt.Sprint(i))
	}
	if n := s.Admin.XLen(background, a.logKey()).Val(); n < 100 || n > 300 {
		t.Errorf("the log has %d records, want about 100", n)
	}
	rec, _ := follow(t, a)
	if all := rec.upTo(rec.caught(0, 0)); all[0].what != "distrust" || all[0].at != all[1].at || all[1].record == "0" {
		t.Errorf("got %v, want distrust of all before the first record", all[:2])
	}
}

// TestRedisFollowSnapshot: a server restarts with an older snapshot, and the log continues from
// there.
func TestRedisFollowSnapshot(t *testing.T) {
	s, a, b, rec, _ := single(t)
	away, stop := follow(t, a) // cut off before the records that get lost
	away.caught(0, 0)
	stop()
	s.Do("SAVE")
	lost := mustAppend(t, a, "lost")
	rec.applied(0, "lost")
	s.Kill()
	n := rec.len()
	nAway := away.len()
	s.Start()
	at := mustAppend(t, a, "after")
	end := rec.caught(n, at)
	rec.covers(end, "after", at)
	rec.distrusted(n)
	// The stream shows this follower no loss: it read the snapshot and what follows.
	away.follow(a)
	away.covers(away.caught(nAway, at), "lost", lost)
	if b.Stats().Breaks == 0 {
		t.Error("no break was counted")
	}
}

// TestRedisFollowBack: the clock of the new server is behind, and positions are reused.
func TestRedisFollowBack(t *testing.T) {
	s, a, _, rec, _ := single(t)
	n := rec.len()
	far := s.Admin.XAdd(background, &redis.XAddArgs{Stream: a.logKey(), ID: "99999999999999-1", Values: []any{fieldRecord, "far"}})
	must(t, far.Err())
	n = rec.caught(n, positionOf(t, far.Val()))
	s.Do("FLUSHALL")
	at := mustAppend(t, a, "again")
	end := rec.applied(n, "again")
	rec.covers(end, "again", at)
	n = rec.distrusted(n)
	if e := rec.since(n)[0]; e.at <= positionOf(t, far.Val()) {
		t.Errorf("distrusts all before %d, although entries from %d exist", e.at, positionOf(t, far.Val()))
	}
}

func TestRedisFollowFailover(t *testing.T) {
	for _, how := range []struct {
		name string
		do   func(redistest.Sentinel, testing.TB)
	}{
		{"requested", redistest.Sentinel.Failover},
		{"killed", func(s redistest.Sentinel, t testing.TB) { s.Master.Kill(); s.Await(t) }},
	} {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartSentinel(t)
			o := Options{URLs: s.URLs()}
			a, b := open(t, o), open(t, o)
			rec, _ := follow(t, b)
			rec.caught(0, mustAppend(t, a, "first"))
			n := rec.len()
			how.do(s, t)
			// The old master may accept it and lose it, which causes distrust.
			at := mustAppend(t, a, "second")
			rec.covers(rec.caught(n, at), "second", at)
			rec.distrusted(n)
		})
	}
}

// TestRedisFollowBehind: a replica without records that its master acknowledged becomes the
// master, and appends other records before any read.
func TestRedisFollowBehind(t *testing.T) {
	master, replica := redistest.StartServer(t), redistest.StartServer(t)
	relay := redistest.StartRelay(t, master.Address)
	o := Options{URLs: []string{"redis://" + relay.Address}, Budget: time.Second}
	a, b := open(t, o), open(t, o)
	rec, _ := follow(t, b)
	rec.caught(0, mustAppend(t, a, "first"))
	host, port, _ := net.SplitHostPort(master.Address)
	replica.Do("REPLICAOF", host, port)
	eventually(t, "replica has the log", func() bool { return replica.Admin.Exists(background, a.logKey()).Val() == 1 })
	replica.Do("REPLICAOF", "NO", "ONE")

	relay.Cut(true)
	n := rec.await("lost", 0, func(e notice) bool { return e.what == "lost" })
	o.URLs = []string{master.URL()}
	lost := mustAppend(t, open(t, o), "lost")
	o.URLs = []string{replica.URL()}
	mustAppend(t, open(t, o), "after 1")
	at := mustAppend(t, open(t, o), "after 2")
	relay.To(replica.Address)
	relay.Cut(false)
	end := rec.caught(n, at)
	rec.covers(end, "lost", lost)
	rec.covers(end, "after 2", at)
	// And a follower that starts now.
	late, _ := follow(t, a)
	late.covers(late.caught(0, at), "lost", lost)
}

// TestRedisFollowStress: with appends from two instances, and connections cut at random times, no
// record is missed.
func TestRedisFollowStress(t *testing.T) {
	s, a, b, rec, _ := single(t)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		for ctx.Err() == nil {
			s.Admin.Do(ctx, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
			pause(ctx, b.checkEvery()/2)
		}
	}()
	var want []string
	var latest Position
	for i := range 2000 {
		record := fmt.Sprint(i)
		latest = mustAppend(t, []*Store{a, b}[i%2], record)
		want = append(want, record)
	}
	cancel()
	<-cut
	rec.caught(0, latest)
	got := records(rec.since(0))
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%s was missed", w)
		}
	}
	if b.Stats().Breaks != 0 {
		t.Errorf("stats = %+v, want no breaks", b.Stats())
	}
}

func TestStreamID(t *testing.T) {
	for _, bad := range []string{"", "-", "1", "1-", "-1", "a-1", "1-b", "281474976710656-1"} {
		if id, err := parseStreamID(bad); err == nil {
			t.Errorf("%q is %v", bad, id)
		}
	}
	id, err := parseStreamID("1700000000000-3")
	must(t, err)
	if id.position() != 1700000000000<<16+3 || id.String() != "1700000000000-3" {
		t.Errorf("%v at %d", id, id.position())
	}
	over := streamID{1, 0x10000}
	if !over.overflows() || id.overflows() || over.position() <= (streamID{1, 0xffff}).position() {
		t.Errorf("%v at %d", over, over.position())
	}
}
