package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// far returns a server behind a relay, and the options of instances for which it is so far away.
func far(t *testing.T, roundTrip time.Duration) (*redistest.Server, *redistest.Relay, Options) {
	t.Helper()
	s := redistest.StartServer(t)
	line := redistest.StartRelay(t, s.Address)
	line.Delay.Store(int64(roundTrip / 2))
	return s, line, Options{URLs: []string{"redis://" + line.Address}, Timeout: calmTimeout}
}

// calmTimeout is far above round trips of tests and the delays of a busy machine.
const calmTimeout = 3 * time.Second

// readers read the log all the time, until the test is over.
func readers(t *testing.T, r *Store) {
	ctx, stop := context.WithCancel(background)
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for ctx.Err() == nil {
				_ = r.ReadLog()
				_ = pause(ctx, time.Millisecond)
			}
		})
	}
	t.Cleanup(func() { stop(); group.Wait() })
}

// TestFarRedisIsBack: under traffic a Redis is up again that takes longer than the log reads of requests while it is down.
func TestFarRedisIsBack(t *testing.T) {
	for _, topology := range []string{"cluster", "sentinel", "tcp"} {
		t.Run(topology, func(t *testing.T) {
			t.Parallel()
			distance := redistest.NewDistance(t, 150*time.Millisecond)
			r := open(t, Options{URLs: start(t, topology).URLs, Dial: distance.Dial})
			readers(t, r)
			eventually(t, "it is up", func() bool { return r.last.Load() != nil && r.Up() })
			distance.Cut(true)
			eventually(t, "it is down", func() bool { return !r.Up() })
			distance.Cut(false)
			eventually(t, "it is up again", r.Up)
		})
	}
}

// start starts a topology.
func start(t *testing.T, name string) redistest.Topology {
	t.Helper()
	for _, topology := range redistest.Topologies {
		if topology.Name == name {
			return topology.Start(t)
		}
	}
	t.Fatal("no topology ", name)
	return redistest.Topology{}
}

// TestProbeIsAlone: a probe has a log read of its own. The log read that requests wait for may be too short, or never end.
func TestProbeIsAlone(t *testing.T) {
	distance := redistest.NewDistance(t, 0)
	r := open(t, Options{URLs: start(t, "tcp").URLs, Dial: distance.Dial})
	must(t, r.ReadLog())
	distance.Cut(true)
	eventually(t, "it is down", func() bool { _ = r.ReadLog(); return !r.Up() })
	waits := &round{done: make(chan struct{})}
	defer close(waits.done)
	r.logReads.mu.Lock()
	r.logReads.next = waits
	r.logReads.mu.Unlock()
	distance.Cut(false)
	eventually(t, "it is up again", r.Up)
}

// dueFollower makes a check due while the log is read.
type dueFollower struct {
	*recorder
	r *Store
}

func (f dueFollower) Apply(position Position, record []byte) {
	f.recorder.Apply(position, record)
	f.r.tail.checked = time.Now().Add(-2 * checkEvery)
}

// TestCheckComesDue: a check that comes due during a log read is made by the next one. A second round trip may take longer
// than the log read has.
func TestCheckComesDue(t *testing.T) {
	s, a, b, rec := single(t)
	b.Follow(dueFollower{recorder: rec, r: b})
	for try := range 100 {
		position := mustAppend(t, a, try)
		checked := b.tail.checked
		commands := count(t, s.Admin.Info(background, "stats").Val())
		must(t, b.ReadLog())
		end := count(t, s.Admin.Info(background, "stats").Val())
		rec.covers(fmt.Sprint(try), position)
		if since(checked) > checkEvery {
			continue // it was due before
		}
		if end-commands != 2 {
			t.Errorf("%d commands for one log read", end-commands-1)
		}
		return
	}
	t.Fatal("each time a check was due")
}

// TestFarRedisShares: an entry of another instance, a lease and a quota are shared with a Redis whose answers take
// longer than a request waits for one that is near.
func TestFarRedisShares(t *testing.T) {
	t.Parallel()
	_, _, o := far(t, 60*time.Millisecond)
	a := open(t, o)
	b := open(t, o)
	follow(t, a)
	follow(t, b)
	a.Put(background, "key", []byte("value"), time.Hour)
	var f Found
	eventually(t, "a lookup", func() bool {
		var err error
		f, err = b.Find(background, "key", aLongTime)
		return err == nil && string(f.Data) == "value" && f.Lease != nil
	})
	eventually(t, "the lease is known", func() bool {
		second, err := a.Find(background, "key", time.Hour)
		return err == nil && second.Held
	})
	f.Lease.Release(background)
	eventually(t, "it is released", func() bool { return a.Wait(background, "key") == nil })
	eventually(t, "a quota", func() bool {
		_, err := b.Take(background, "client", time.Second, 100)
		return err == nil
	})
}

// connectionsOf returns the number of connections that a server has accepted.
func connectionsOf(t *testing.T, s *redistest.Server) (n int) {
	t.Helper()
	_, err := fmt.Sscan(infoField("\n"+s.Admin.Info(background, "stats").Val(), "total_connections_received"), &n)
	must(t, err)
	return n
}

// TestSlowAnswer: one slow answer of a Redis that is far away costs its caller a timeout, and nobody a connection.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	s, line, o := far(t, 20*time.Millisecond)
	o.Timeout = 200 * time.Millisecond
	r := open(t, o)
	follow(t, r)
	var lookups sync.WaitGroup
	for range 10 { // which leave connections: a late answer occupies one
		lookups.Go(func() {
			eventually(t, "a lookup", func() bool { _, err := r.Find(background, "key", time.Hour); return err == nil })
		})
	}
	lookups.Wait()
	connections := connectionsOf(t, s)
	for name, call := range map[string]func() error{
		"read":   r.ReadLog,
		"lookup": func() error { _, err := r.Find(background, "other", time.Hour); return err },
		"wait":   func() error { return r.Wait(background, "free") },
	} {
		_, release := line.Hold()
		if err := call(); !timedOut(err) {
			t.Errorf("%s: %v", name, err)
		}
		release()
		eventually(t, "the next "+name, func() bool { return call() == nil })
	}
	if n := connectionsOf(t, s); n != connections {
		t.Errorf("%d new connections", n-connections)
	}
}

// TestReturning: a log read of a Redis that has just returned appends the pending purges, and does not count:
// the pending purges of other instances may not be in the log yet.
func TestReturning(t *testing.T) {
	_, _, b, rec := single(t)
	b.health.down.Store(true)
	rec.pending = []string{"pending"}
	unchecked(b)
	if err := b.ReadLog(); !errors.Is(err, errReturning) || b.Up() {
		t.Errorf("the first log read: %v, up %t", err, b.Up())
	}
	if diff := cmp.Diff([]string{"first", "pending"}, rec.records()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	b.health.back = b.health.back.Add(-settle)
	unchecked(b)
	if err := b.ReadLog(); err != nil || !b.Up() {
		t.Errorf("a log read after the others have read the log: %v, up %t", err, b.Up())
	}
}

// TestFarRedisChecks: a Redis that takes longer for the first call on a connection than a request waits has no problem.
func TestFarRedisChecks(t *testing.T) {
	t.Parallel()
	_, _, o := far(t, 150*time.Millisecond)
	o.Timeout = 400 * time.Millisecond // a first call takes 450
	if _, err := open(t, o).Check(background); err != nil {
		t.Error(err)
	}
}

// TestCheckOfReturning: a Redis that works again has no problem. A busy machine may take it for down meanwhile.
func TestCheckOfReturning(t *testing.T) {
	_, _, b, _ := single(t)
	b.health.down.Store(true)
	if _, err := b.Check(background); err != nil {
		t.Error(err)
	}
}

// TestFarRedisFlushes: pending purges go to a Redis that is far away in one round trip.
func TestFarRedisFlushes(t *testing.T) {
	t.Parallel()
	_, _, o := far(t, 60*time.Millisecond)
	r := open(t, o)
	rec := follow(t, r)
	for i := range 100 {
		rec.pending = append(rec.pending, fmt.Sprint(i))
	}
	want := slices.Clone(rec.pending)
	must(t, r.ReadLog())
	if diff := cmp.Diff(want, rec.records()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLogReadFlushesBehindKnown: pending purges get positions behind everything that is known here.
func TestLogReadFlushesBehindKnown(t *testing.T) {
	_, _, b, rec := single(t)
	rec.limit = rec.reached + 60_000<<16
	rec.pending = []string{"one", "two"}
	must(t, b.ReadLog())
	if p := rec.flushed; len(p) != 2 || p[0] <= rec.limit || p[1] <= p[0] {
		t.Errorf("positions %d behind %d", p, rec.limit)
	}
}
