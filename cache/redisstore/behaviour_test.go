package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

var background = context.Background()

// TestRedis runs the same behaviours in every topology of Redis.
func TestRedis(t *testing.T) {
	for _, topology := range redistest.Topologies {
		t.Run(topology.Name, func(t *testing.T) {
			t.Parallel()
			run := topology.Start(t)
			for _, b := range behaviours {
				t.Run(b.name, func(t *testing.T) {
					o := Options{URLs: run.URLs, Prefix: redistest.FreshPrefix(), Budget: aLongTime, PurgeWait: calmWait}
					b.test(t, o, run)
				})
			}
		})
	}
}

var behaviours = []struct {
	name string
	test func(t *testing.T, o Options, run redistest.Topology)
}{
	{"check", testCheck},
	{"decisions", testDecisions},
	{"decisions, who has acknowledged", testAcknowledged},
	{"entries", testEntries},
	{"entry expires", testEntryExpires},
	{"follow ends", testFollowEnds},
	{"foreign entry", testForeignEntry},
	{"lease abandoned", testLeaseAbandoned},
	{"lease exclusive", testLeaseExclusive},
	{"lease foreign", testLeaseForeign},
	{"lease renewed", testLeaseRenewed},
	{"lease released", testLeaseReleased},
	{"lease taken over", testLeaseTakenOver},
	{"log", testLog},
	{"log from before", testLogFromBefore},
	{"quota", testQuota},
}

func testEntries(t *testing.T, o Options, _ redistest.Topology) {
	a, b := open(t, o), open(t, o)
	if _, ok := a.Get(background, "none"); ok {
		t.Error("found a key that was not put")
	}
	// Enough keys for all nodes of a cluster.
	for i := range 20 {
		key, want := fmt.Sprint("key ", i), fmt.Sprintf("value %d\x00\r\n", i)
		a.Put(background, key, []byte(want), time.Hour)
		got, ok := b.Get(background, key)
		if !ok || string(got) != want {
			t.Fatalf("Get(%q) = %q, %v, want %q", key, got, ok, want)
		}
		if left := (*b.client.Load()).PTTL(background, b.entryKey(key)).Val(); left > time.Hour || left < 50*time.Minute {
			t.Fatalf("left = %v of an hour", left)
		}
	}
	a.Put(background, "key 0", []byte("new"), time.Minute)
	if got, _ := b.Get(background, "key 0"); string(got) != "new" {
		t.Errorf("after another Put: %q", got)
	}
	if s := b.Stats(); !s.Up || s.Gets != 21 || s.Hits != 21 || s.Errors+s.Timeouts+s.Skipped != 0 {
		t.Errorf("stats = %+v", s)
	}
	if s := a.Stats(); s.Puts != 21 || s.PutErrors != 0 || s.Gets != 1 || s.Hits != 0 {
		t.Errorf("stats = %+v", s)
	}
}

func testEntryExpires(t *testing.T, o Options, _ redistest.Topology) {
	r := open(t, o)
	r.Put(background, "none", []byte("x"), time.Microsecond) // Redis would refuse it
	if s := r.Stats(); s.Puts != 0 || s.Errors != 0 {
		t.Errorf("a life of less than a millisecond: %+v", s)
	}
	r.Put(background, "short", []byte("x"), 50*time.Millisecond)
	eventually(t, "entry expires", func() bool {
		_, ok := r.Get(background, "short")
		return !ok
	})
}

// testForeignEntry: a value of another type does not open the breaker.
func testForeignEntry(t *testing.T, o Options, _ redistest.Topology) {
	r := open(t, o)
	c := *r.client.Load()
	must(t, c.LPush(background, r.entryKey("list"), "x").Err())
	must(t, c.Expire(background, r.entryKey("list"), time.Hour).Err())
	if _, ok := r.Get(background, "list"); ok {
		t.Error("a list was found")
	}
	if s := r.Stats(); !s.Up || s.Trips != 0 || s.Errors != 1 {
		t.Errorf("stats = %+v, want one error and Up", s)
	}
}

func testLog(t *testing.T, o Options, _ redistest.Topology) {
	a, b, c := open(t, o), open(t, o), open(t, o)
	recorders := make([]*recorder, 3)
	for i, r := range []*Store{a, b, c} {
		recorders[i], _ = follow(t, r)
		recorders[i].caught(0, 0)
	}
	before := c.Stats()
	var want []string
	at := map[string]Position{}
	var latest Position
	for i := range 200 {
		record := fmt.Sprint("record ", i)
		p := mustAppend(t, []*Store{a, b}[i%2], record)
		if p <= latest {
			t.Fatalf("position %d after %d", p, latest)
		}
		latest, at[record] = p, p
		want = append(want, record)
	}
	for i, r := range recorders {
		all := r.upTo(r.caught(0, latest))
		if all[0].what != "distrust" || all[0].at == 0 {
			t.Errorf("follower %d first got %v", i, all[0])
		}
		if got := records(all); !slices.Equal(got, want) {
			t.Errorf("follower %d got %d records: %q", i, len(got), got)
		}
		for _, e := range all {
			if e.what == "apply" && e.at != at[e.record] {
				t.Errorf("%q at %d, appended at %d", e.record, e.at, at[e.record])
			}
		}
		caught := slices.IndexFunc(all, func(e notice) bool { return e.what == "caught" })
		if applied := slices.IndexFunc(all, func(e notice) bool { return e.what == "apply" }); applied < caught {
			t.Errorf("follower %d got %v", i, all[:caught+1])
		}
	}
	if s := c.Stats(); s.Breaks != 0 || s.Losses != before.Losses || s.Followed != 200 {
		t.Errorf("stats = %+v", s)
	}
}

// testLogFromBefore: an instance that starts later gets the records of the log, more than one
// read of it, before it counts as caught up.
func testLogFromBefore(t *testing.T, o Options, run redistest.Topology) {
	a := open(t, o)
	var latest Position
	for i := range batch + 10 {
		latest = mustAppend(t, a, fmt.Sprint(i))
	}
	b, stop := follow(t, open(t, o))
	all := b.upTo(b.caught(0, 0))
	end := len(all) - 1
	if got := records(all); len(got) != batch+10 || all[end].at < latest {
		t.Errorf("first caught after %d records at %d, want %d at %d", len(got), all[end].at, batch+10, latest)
	}
	if all[0].what != "distrust" || all[0].at != all[1].at {
		t.Errorf("got %v, want distrust of all before the first record", all[:2])
	}
	// No record has the epoch, so that losses before it cannot be excluded.
	if e := all[end-1]; e.what != "distrust" || e.at != all[end].at {
		t.Errorf("got %v, want distrust of all so far", last(all, 2))
	}
	stop()
	c, _ := follow(t, open(t, o))
	end2 := c.caught(0, 0)
	if got := c.since(0)[end2].at; got != all[end].at {
		t.Errorf("the next to start caught up at %d, want %d: it distrusts known records", got, all[end].at)
	}
}

func testLeaseExclusive(t *testing.T, o Options, _ redistest.Topology) {
	a, b := open(t, o), open(t, o)
	l, held, err := a.Acquire(background, "key", 0, time.Hour)
	if err != nil || !held {
		t.Fatalf("Acquire = %v, %v", held, err)
	}
	for _, r := range []*Store{a, b} {
		if l, held, err := r.Acquire(background, "key", 0, time.Hour); err != nil || held || l != nil {
			t.Errorf("a second Acquire = %v, %v, %v", l, held, err)
		}
	}
	if _, held, err := b.Acquire(background, "other key", 0, time.Hour); err != nil || !held {
		t.Errorf("Acquire of another key = %v, %v", held, err)
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	l.Release(ended, "") // also when the request has ended
	if _, held, err := b.Acquire(background, "key", 0, time.Hour); err != nil || !held {
		t.Errorf("Acquire after Release = %v, %v", held, err)
	}
}

func testLeaseForeign(t *testing.T, o Options, _ redistest.Topology) {
	a, b := open(t, o), open(t, o)
	old, _, err := a.Acquire(background, "key", 0, 10*time.Millisecond)
	must(t, err)
	eventually(t, "the next has it", func() bool {
		_, held, err := b.Acquire(background, "key", 0, time.Hour)
		return err == nil && held
	})
	old.Release(background, "")
	if _, held, err := a.Acquire(background, "key", 0, time.Hour); held || err != nil {
		t.Errorf("a lease that had expired released that of another: %v, %v", held, err)
	}
}

func testLeaseReleased(t *testing.T, o Options, _ redistest.Topology) {
	a, b := open(t, o), open(t, o)
	l, _, err := a.Acquire(background, "key", 0, time.Hour)
	must(t, err)
	other, _, err := a.Acquire(background, "other", 0, time.Hour)
	must(t, err)
	waits := make(chan error, 10)
	for i := range cap(waits) {
		go func() { waits <- released(background, []*Store{a, b}[i%2], "key") }()
	}
	for _, r := range []*Store{a, b} {
		eventually(t, "all wait", func() bool { return r.Stats().Waiting == 5 })
	}
	other.Release(background, "")
	must(t, released(background, b, "other")) // it is free
	select {
	case err := <-waits:
		t.Fatalf("returned after the release of another key: %v", err)
	default:
	}
	l.Release(background, "")
	for range cap(waits) {
		select {
		case err := <-waits:
			must(t, err)
		case <-time.After(aLongTime):
			t.Fatal("a waiter still waits")
		}
	}
	if n := a.Stats().Waiting + b.Stats().Waiting; n != 0 {
		t.Errorf("%d are left waiting", n)
	}
	held, _, err := a.Acquire(background, "key", 0, time.Hour)
	must(t, err)
	short, cancel := context.WithTimeout(background, 10*time.Millisecond)
	defer cancel()
	if err := released(short, b, "key"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait past its context = %v", err)
	}
	held.Release(background, "")
}

// released waits for the lease on key.
func released(ctx context.Context, r *Store, key string) error {
	_, err := r.Wait(ctx, key)
	return err
}

// testLeaseRenewed: a holder that is alive renews its lease, and the others wait. The lease
// of one that is gone expires. Waiters get its error.
func testLeaseRenewed(t *testing.T, o Options, _ redistest.Topology) {
	const life = 15 * time.Second
	a, b := open(t, o), open(t, o)
	l, held, err := a.Acquire(background, "key", 0, life)
	if err != nil || !held {
		t.Fatalf("Acquire = %v, %v", held, err)
	}
	over := func() time.Time {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.over
	}
	first := over()
	l.Keep()
	eventually(t, "it is renewed", func() bool { return over().After(first) })
	// The first renewal is after a third of the life.
	if left := (*b.client.Load()).PTTL(background, b.leaseKey("key")).Val(); left <= life-life/3 {
		t.Errorf("%v are left of a lease that is renewed, of %v", left, life)
	}
	if _, held, err := b.Acquire(background, "key", 0, life); held || err != nil {
		t.Fatalf("acquired from a holder that is alive: %v, %v", held, err)
	}
	failures := make(chan string, 1)
	go func() {
		for failure := ""; ; {
			if failure, err = b.Wait(background, "key"); err != nil || failure != "" {
				failures <- failure
				return
			}
		}
	}()
	eventually(t, "one waits", func() bool { return b.Stats().Waiting == 1 })
	l.Release(background, "504")
	if got := <-failures; got != "504" {
		t.Errorf("got %q, %v", got, err)
	}

	gone, _, err := a.Acquire(background, "key", 0, time.Second)
	must(t, err)
	gone.Keep()
	must(t, a.Close())
	for {
		must(t, released(background, b, "key"))
		if _, held, err := b.Acquire(background, "key", 0, life); held && err == nil {
			break
		}
	}
}

// testLeaseTakenOver: an instance with a later position than the holder takes the lease over.
// Waiters observe that, and calls of the old holder have no effect.
func testLeaseTakenOver(t *testing.T, o Options, _ redistest.Topology) {
	const older, newer = Position(9 << 53), Position(9<<53 + 1) // equal as float64
	a, b := open(t, o), open(t, o)
	old, held, err := a.Acquire(background, "key", older, time.Hour)
	if err != nil || !held {
		t.Fatalf("Acquire = %v, %v", held, err)
	}
	old.Keep()
	waited := make(chan error, 1)
	go func() { waited <- released(background, a, "key") }()
	eventually(t, "one waits", func() bool { return a.Stats().Waiting == 1 })
	for _, purged := range []Position{0, older} {
		if _, held, err := b.Acquire(background, "key", purged, time.Hour); held || err != nil {
			t.Errorf("Acquire at %d = %v, %v", purged, held, err)
		}
	}
	l, held, err := b.Acquire(background, "key", newer, time.Hour)
	if err != nil || !held {
		t.Fatalf("Acquire at a later position = %v, %v", held, err)
	}
	must(t, <-waited)
	old.renew()
	old.Release(background, "504")
	if _, held, err := a.Acquire(background, "key", newer, time.Hour); held || err != nil {
		t.Errorf("Acquire after the old holder's Release = %v, %v", held, err)
	}
	l.Release(background, "")
	if _, held, err := a.Acquire(background, "key", 0, time.Hour); !held || err != nil {
		t.Errorf("Acquire after Release = %v, %v", held, err)
	}
}

func testLeaseAbandoned(t *testing.T, o Options, _ redistest.Topology) {
	a, b := open(t, o), open(t, o)
	_, _, err := a.Acquire(background, "key", 0, 100*time.Millisecond)
	must(t, err)
	ctx, cancel := context.WithTimeout(background, aLongTime)
	defer cancel()
	for {
		must(t, released(ctx, b, "key"))
		_, held, err := b.Acquire(ctx, "key", 0, time.Hour)
		must(t, err)
		if held {
			return
		}
	}
}
