package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

var background = context.Background()

// TestRedis runs the same behaviours in every topology of Redis.
func TestRedis(t *testing.T) {
	t.Parallel()
	for _, topology := range redistest.Topologies {
		t.Run(topology.Name, func(t *testing.T) {
			t.Parallel()
			run := topology.Start(t)
			for _, b := range behaviours {
				t.Run(b.name, func(t *testing.T) {
					b.test(t, Options{URLs: run.URLs, Prefix: redistest.FreshPrefix(), Brief: aLongTime, Timeout: aLongTime}, run)
				})
			}
		})
	}
}

var behaviours = []struct {
	name string
	test func(t *testing.T, o Options, run redistest.Topology)
}{
	{name: "check", test: testCheck},
	{name: "claim", test: testClaim},
	{name: "claim repeated", test: testClaimRepeated},
	{name: "decisions", test: testDecisions},
	{name: "entries", test: testEntries},
	{name: "entry expires", test: testEntryExpires},
	{name: "foreign entry", test: testForeignEntry},
	{name: "instances", test: testInstances},
	{name: "lease", test: testLease},
	{name: "lease foreign", test: testLeaseForeign},
	{name: "lease renewed", test: testLeaseRenewed},
	{name: "log", test: testLog},
	{name: "log from before", test: testLogFromBefore},
	{name: "quota", test: testQuota},
}

// get returns the value of a key.
func get(t testing.TB, r *Store, key string) (string, bool) {
	t.Helper()
	entry, err := r.Find(background, key, time.Hour)
	must(t, err)
	if entry.Lease != nil {
		entry.Lease.Release(background)
	}
	return string(entry.Data), entry.Data != nil
}

func testEntries(t *testing.T, o Options, _ redistest.Topology) {
	a := open(t, o)
	b := open(t, o)
	if _, ok := get(t, a, "none"); ok {
		t.Error("found a key that was not put")
	}
	// Enough keys for all nodes of a cluster.
	for i := range 20 {
		key := fmt.Sprint("key ", i)
		want := fmt.Sprintf("value %d\x00\r\n", i)
		a.Put(background, key, []byte(want), time.Hour)
		if got, _ := get(t, b, key); got != want {
			t.Fatalf("Find(%q) = %q, want %q", key, got, want)
		}
		if ttl := (*b.client.Load()).PTTL(background, b.entryKey(key)).Val(); ttl > time.Hour || ttl < 50*time.Minute {
			t.Fatalf("left = %v of an hour", ttl)
		}
	}
	a.Put(background, "key 0", []byte("new"), time.Minute)
	if got, _ := get(t, b, "key 0"); got != "new" {
		t.Errorf("after another Put: %q", got)
	}
	if s := b.Stats(); !s.Up || s.Gets != 21 || s.Hits != 21 || s.Errors+s.Timeouts+s.Skipped != 0 {
		t.Errorf("stats = %+v", s)
	}
	if s := a.Stats(); s.Errors+s.Timeouts+s.Skipped != 0 || s.Gets != 1 || s.Hits != 0 {
		t.Errorf("stats = %+v", s)
	}
}

func testEntryExpires(t *testing.T, o Options, _ redistest.Topology) {
	r := open(t, o)
	r.Put(background, "none", []byte("x"), time.Microsecond) // Redis would refuse it
	if s := r.Stats(); s.Errors != 0 {
		t.Errorf("a life of less than a millisecond: %+v", s)
	}
	r.Put(background, "short", []byte("x"), 50*time.Millisecond)
	eventually(t, "entry expires", func() bool { _, ok := get(t, r, "short"); return !ok })
}

// testForeignEntry: a value of another type is an error of its key alone.
func testForeignEntry(t *testing.T, o Options, _ redistest.Topology) {
	r := open(t, o)
	c := *r.client.Load()
	must(t, c.LPush(background, r.entryKey("list"), "x").Err())
	must(t, c.Expire(background, r.entryKey("list"), time.Hour).Err())
	if entry, err := r.Find(background, "list", time.Hour); err == nil || entry.Data != nil || entry.Lease != nil {
		t.Errorf("%+v %v", entry, err)
	}
	if s := r.Stats(); !s.Up || s.Trips != 0 || s.Errors != 1 {
		t.Errorf("stats = %+v, want one error and Up", s)
	}
}

// testLog: each log read shows the records that were appended before it, in order.
func testLog(t *testing.T, o Options, _ redistest.Topology) {
	a := open(t, o)
	b := open(t, o)
	c := open(t, o)
	stores := []*Store{a, b, c}
	var recorders []*recorder
	for _, r := range stores {
		recorders = append(recorders, follow(t, r))
	}
	var want []string
	positions := map[string]Position{}
	var latest Position
	for i := range 200 {
		record := fmt.Sprint("record ", i)
		p := mustAppend(t, stores[i%2], record)
		if p <= latest {
			t.Fatalf("position %d after %d", p, latest)
		}
		latest, positions[record] = p, p
		want = append(want, record)
		if i%50 == 0 {
			must(t, c.ReadLog())
			recorders[2].covers(record, p)
		}
	}
	for i, r := range recorders {
		must(t, stores[i].ReadLog())
		if r.notices[0].kind != "distrust" || r.notices[0].position == 0 {
			t.Errorf("follower %d first got %v", i, r.notices[0])
		}
		if got := r.records(); !slices.Equal(got, want) || r.reached < latest {
			t.Errorf("follower %d got %d records: %q", i, len(got), got)
		}
		for _, e := range r.notices {
			if e.kind == "apply" && e.position != positions[e.record] {
				t.Errorf("%q at %d, appended at %d", e.record, e.position, positions[e.record])
			}
		}
	}
	if s := c.Stats(); s.Breaks != 0 || s.Followed != 200 {
		t.Errorf("stats = %+v", s)
	}
}

// testLogFromBefore: an instance that starts later gets the records of the log, more than one
// read of it, with its first log read.
func testLogFromBefore(t *testing.T, o Options, _ redistest.Topology) {
	a := open(t, o)
	var latest Position
	for i := range batch + 10 {
		latest = mustAppend(t, a, i)
	}
	b := follow(t, open(t, o))
	if got := b.records(); len(got) != batch+10 || b.reached < latest {
		t.Errorf("%d records up to %d, want %d up to %d", len(got), b.reached, batch+10, latest)
	}
	if b.notices[0].kind != "distrust" || b.notices[0].position != b.notices[1].position {
		t.Errorf("got %v, want distrust of all before the first record", b.notices[:2])
	}
	// No record has the epoch, so that losses before it cannot be excluded.
	if e := b.notices[len(b.notices)-1]; e.kind != "distrust" || e.position != b.reached {
		t.Errorf("got %v, want distrust of all so far", e)
	}
	if c := follow(t, open(t, o)); c.reached != b.reached {
		t.Errorf("the next to start reached %d, want %d: it distrusts known records", c.reached, b.reached)
	}
}

// testLease: one instance has the lease on a key, and the others wait until it is released.
func testLease(t *testing.T, o Options, _ redistest.Topology) {
	a := open(t, o)
	b := open(t, o)
	first, err := a.Find(background, "key", time.Hour)
	must(t, err)
	if first.Lease == nil || first.Held {
		t.Fatalf("%+v", first)
	}
	for _, r := range []*Store{a, b} {
		if next, err := r.Find(background, "key", time.Hour); err != nil || !next.Held || next.Lease != nil {
			t.Errorf("%+v %v", next, err)
		}
	}
	waits := make(chan error, 10)
	for i := range cap(waits) {
		go func() { waits <- []*Store{a, b}[i%2].Wait(background, "key") }()
	}
	for _, r := range []*Store{a, b} {
		eventually(t, "all wait", func() bool { return r.Stats().Waiting == 5 })
	}
	must(t, b.Wait(background, "other")) // it is free
	select {
	case err := <-waits:
		t.Fatalf("returned before the release: %v", err)
	default:
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	first.Lease.Release(ended) // also when the request has ended
	for range cap(waits) {
		select {
		case err := <-waits:
			must(t, err)
		case <-time.After(aLongTime):
			t.Fatal("a waiter still waits")
		}
	}
	second, err := b.Find(background, "key", time.Hour)
	must(t, err)
	if second.Lease == nil {
		t.Error("not released")
	}
	short, cancel := context.WithTimeout(background, 10*time.Millisecond)
	defer cancel()
	if err := a.Wait(short, "key"); !timedOut(err) { // by the context, or by the connection that has its deadline
		t.Errorf("Wait past its context = %v", err)
	}
}

func testLeaseForeign(t *testing.T, o Options, _ redistest.Topology) {
	a := open(t, o)
	b := open(t, o)
	old, err := a.Find(background, "key", time.Hour)
	must(t, err)
	must(t, (*a.client.Load()).Del(background, a.leaseKey("key")).Err()) // as if it had expired
	if f, err := b.Find(background, "key", time.Hour); err != nil || f.Lease == nil {
		t.Fatalf("the next has no lease: %+v, %v", f, err)
	}
	old.Lease.Release(background)
	if f, err := a.Find(background, "key", time.Hour); f.Lease != nil || err != nil {
		t.Errorf("a lease that had expired released that of another: %+v, %v", f, err)
	}
}

// testLeaseRenewed: a holder that is alive renews its lease, and the others wait. The lease
// of one that is gone expires.
func testLeaseRenewed(t *testing.T, o Options, _ redistest.Topology) {
	const life = 3 * time.Second
	a := open(t, o)
	b := open(t, o)
	f, err := a.Find(background, "key", life)
	must(t, err)
	ttl := func() time.Duration { return (*b.client.Load()).PTTL(background, b.leaseKey("key")).Val() }
	low := ttl()
	eventually(t, "it is renewed", func() bool { now := ttl(); defer func() { low = min(low, now) }(); return now > low })
	waits := make(chan error, 1)
	go func() { waits <- b.Wait(background, "key") }()
	eventually(t, "one waits", func() bool { return b.Stats().Waiting == 1 })
	f.Lease.Release(background)
	must(t, <-waits)
	_, err = a.Find(background, "key", time.Second)
	must(t, err)
	must(t, a.Close())
	eventually(t, "the lease of an instance that is gone expires", func() bool {
		f, err := b.Find(background, "key", life)
		return err == nil && f.Lease != nil
	})
}

// decider is an instance that follows decisions.
type decider struct {
	*Store
	states []string // states, the latest last
}

func newDecider(t *testing.T, o Options) *decider {
	t.Helper()
	d := &decider{}
	o.Decided = func(_ context.Context, decisions SharedState) { d.states = append(d.states, decisions.State) }
	d.Store = open(t, o)
	return d
}

// latest returns the state that a log read shows.
func (d *decider) latest(t *testing.T) string {
	t.Helper()
	caughtUp(t, d.Store)
	return d.states[len(d.states)-1]
}

func testDecisions(t *testing.T, o Options, _ redistest.Topology) {
	a := newDecider(t, o)
	b := newDecider(t, o)
	if a.latest(t) != "" || b.latest(t) != "" {
		t.Fatal("something is decided")
	}
	first, err := a.Decide(background, Replacement{State: "one", Audit: []string{"by anna", "and more"}})
	must(t, err)
	if b.latest(t) != "one" {
		t.Errorf("b has %q", b.states)
	}
	if _, err := b.Decide(background, Replacement{State: "other"}); !errors.Is(err, ErrChanged) {
		t.Errorf("a change of what is no longer the latest: %v", err)
	}
	another := Replacement{From: SharedState{Version: first.Version, ID: "another"}, State: "other"}
	if _, err := b.Decide(background, another); !errors.Is(err, ErrChanged) {
		t.Errorf("a change of another change's version: %v", err)
	}
	second, err := b.Decide(background, Replacement{From: first, Above: 6, State: "two", Audit: []string{"by bert"}})
	must(t, err)
	if a.latest(t) != "two" || second.Version != 7 {
		t.Errorf("a has %q, version %d", a.states, second.Version)
	}
	log, err := b.Audit(background, 2)
	must(t, err)
	if got := strings.Join(log, ", "); got != "by bert, and more" {
		t.Errorf("the audit log is %q", got)
	}
	testTally(t, a, b, second)
}

// testTally: the numbers add up over all instances, and a change forgets some.
func testTally(t *testing.T, a, b *decider, decisions SharedState) {
	t.Helper()
	_, _, err := a.Tally(background, time.Hour, NamedNumbers{"x": 2}, NamedNumbers{"w": 1, "s": 4})
	must(t, err)
	recent, ever, err := b.Tally(background, time.Hour, NamedNumbers{"x": 3, "y": 1}, NamedNumbers{"s": 1})
	must(t, err)
	if diff := cmp.Diff([]NamedNumbers{{"x": 5, "y": 1}, {"w": 1, "s": 5}}, []NamedNumbers{recent, ever}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := b.Decide(background, Replacement{From: decisions, Without: []string{"w"}}); !errors.Is(err, ErrCounted) {
		t.Errorf("a change that needs no w: %v", err)
	}
	_, err = b.Decide(background, Replacement{From: decisions, Without: []string{"x"}, Forget: []string{"s", "never counted"}})
	must(t, err)
	if _, ever, err = a.Tally(background, time.Hour, nil, nil); err != nil || len(ever) != 1 || ever["w"] != 1 {
		t.Errorf("%v %v", ever, err)
	}
}
