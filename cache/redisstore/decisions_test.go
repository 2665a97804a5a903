package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// decider is an instance that follows decisions.
type decider struct {
	*Store
	mu   sync.Mutex
	have []string // states, the latest last
	hold chan struct{}
	stop func()
}

// newDecider starts an instance, and waits until it knows the decisions.
func newDecider(t *testing.T, o Options, name string) *decider {
	t.Helper()
	d := &decider{}
	o.Name = name
	o.Decided = func(_ context.Context, is Decisions) error {
		d.mu.Lock()
		hold := d.hold
		d.mu.Unlock()
		if hold != nil {
			<-hold
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.have = append(d.have, string(is.State))
		return nil
	}
	d.Store = open(t, o)
	_, d.stop = follow(t, d.Store)
	eventually(t, "the decisions are known", func() bool { _, current := d.Known(background); return current })
	return d
}

// block makes the instance wait in [Options.Decided] until it is released.
func (d *decider) block() (release func()) {
	hold := make(chan struct{})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = hold
	return sync.OnceFunc(func() { close(hold) })
}

// await returns the instances that have not acknowledged a change in a time that none needs.
func await(acknowledged func(context.Context) []string) []string {
	ctx, cancel := context.WithTimeout(background, aLongTime)
	defer cancel()
	return acknowledged(ctx)
}

func (d *decider) last() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.have[len(d.have)-1]
}

func testDecisions(t *testing.T, o Options, _ redistest.Topology) {
	a, b := newDecider(t, o, "a"), newDecider(t, o, "b")
	if a.last() != "" || b.last() != "" {
		t.Fatal("something is decided")
	}
	first, acknowledged, err := a.Decide(background, Change{State: []byte("one"), Audit: [][]byte{[]byte("by anna"), []byte("and more")}})
	must(t, err)
	if missing := await(acknowledged); missing != nil || b.last() != "one" {
		t.Errorf("b has %q when a returns, missing %q", b.last(), missing)
	}
	if _, _, err := b.Decide(background, Change{State: []byte("other")}); !errors.Is(err, ErrChanged) {
		t.Errorf("a change of what is no longer the latest: %v", err)
	}
	if _, _, err := b.Decide(background, Change{From: Decisions{Version: first.Version, ID: "another"}, State: []byte("other")}); !errors.Is(err, ErrChanged) {
		t.Errorf("a change of another change's version: %v", err)
	}
	second, acknowledged, err := b.Decide(background, Change{From: first, Above: 6, State: []byte("two"), Audit: [][]byte{[]byte("by bert")}})
	must(t, err)
	if missing := await(acknowledged); missing != nil || a.last() != "two" || second.Version != 7 {
		t.Errorf("a has %q when b returns, version %d, missing %q", a.last(), second.Version, missing)
	}
	latest, err := a.Latest(background)
	must(t, err)
	if diff := cmp.Diff(second, latest); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	log, err := b.Audit(background, 2)
	must(t, err)
	if got := texts(log); !slices.Equal(got, []string{"by bert", "and more"}) {
		t.Errorf("the audit log is %q", got)
	}
	testTally(t, a, b, second)
}

// testTally: the numbers are those of all instances, and a change forgets some.
func testTally(t *testing.T, a, b *decider, from Decisions) {
	t.Helper()
	_, err := a.Tally(background, Tally{Window: time.Hour, Recent: map[string]int64{"x": 2}, Ever: map[string]int64{"w": 1}, Since: map[string]int64{"s": 4}, At: from})
	must(t, err)
	got, err := b.Tally(background, Tally{Window: time.Hour, Recent: map[string]int64{"x": 3, "y": 1}, Since: map[string]int64{"s": 1}, At: from})
	must(t, err)
	if diff := cmp.Diff(Sums{map[string]int64{"x": 5, "y": 1}, map[string]int64{"w": 1, "s": 5}, true}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got, err = b.Tally(background, Tally{Window: time.Hour, Since: map[string]int64{"s": 1}, At: Decisions{Version: from.Version, ID: "another"}})
	must(t, err)
	if got.Current || got.Ever["s"] != 5 {
		t.Errorf("added to what is not the latest version: %+v", got)
	}
	if _, _, err := b.Decide(background, Change{From: from, Without: []string{"w"}}); !errors.Is(err, ErrCounted) {
		t.Errorf("a change that needs no w: %v", err)
	}
	_, _, err = b.Decide(background, Change{From: from, Without: []string{"x"}, Forget: []string{"w", "s"}})
	must(t, err)
	if got, err = a.Tally(background, Tally{Window: time.Hour}); err != nil || len(got.Ever) > 0 {
		t.Errorf("%v %v", got, err)
	}
}

// testAcknowledged: a change waits for an instance that is slow, names one that is dead while
// it may still act, and does not wait for one that has left.
func testAcknowledged(t *testing.T, o Options, _ redistest.Topology) {
	o.Lease = 3 * time.Second
	a := newDecider(t, o, "a")
	slow, dead, left := newDecider(t, o, "slow one"), newDecider(t, o, "dead"), newDecider(t, o, "left")
	dead.stop() // and does not say that it leaves
	left.stop()
	must(t, left.Close())
	release := slow.block()
	defer release()
	now, acknowledged, err := a.Decide(background, Change{State: []byte("one")})
	must(t, err)
	ended, cancel := context.WithCancel(background)
	cancel()
	if missing := acknowledged(ended); !slices.Equal(missing, []string{"slow_one", "dead"}) && !slices.Equal(missing, []string{"dead", "slow_one"}) {
		t.Errorf("missing at once: %q", missing)
	}
	_, acknowledged, err = a.Decide(background, Change{From: now, State: []byte("two")})
	must(t, err)
	release()
	if missing := await(acknowledged); missing != nil || slow.last() != "two" {
		t.Errorf("missing in the end: %q, slow has %q", missing, slow.last())
	}
	eventually(t, "a follows the log", func() bool { return time.Since(a.state.AsOf()) < time.Second })
}

// TestAcknowledgedLate: an instance acknowledges a record that it takes longer to apply than the read
// of it may take. It reads no record twice.
func TestAcknowledgedLate(t *testing.T) {
	t.Parallel()
	o := Options{URLs: []string{redistest.StartServer(t).URL()}, Budget: aLongTime, PurgeWait: calmWait, Lease: time.Hour}
	a, slow := newDecider(t, o, "a"), newDecider(t, o, "slow")
	release := slow.block()
	defer release()
	began := time.Now()
	_, acknowledged, err := a.Decide(background, Change{State: []byte("one")})
	must(t, err)
	eventually(t, "no read takes as long", func() bool { return a.state.AsOf().Sub(began) > 2*calmWait })
	release()
	if missing := await(acknowledged); missing != nil {
		t.Errorf("missing: %q", missing)
	}
}

// TestEarlierRelease: an instance of a release without decisions takes the record of one for a
// mark, since it has no purge, and so purges everything. It acknowledges that as it does purges, and
// does not follow: the change names it, until it is gone.
func TestEarlierRelease(t *testing.T) {
	t.Parallel()
	server := redistest.StartServer(t)
	o := Options{URLs: []string{server.URL()}, Budget: aLongTime, PurgeWait: calmWait}
	a := newDecider(t, o, "a")
	old := open(t, o)
	rec, stop := follow(t, old)
	rec.await("it follows the log", 0, func(n notice) bool { return n.what == "caught" })
	now, acknowledged, err := a.Decide(background, Change{State: []byte("one")})
	must(t, err)
	for _, record := range server.Do("XRANGE", a.logKey(), "-", "+").([]any) {
		if fields := fmt.Sprint(record); strings.Contains(fields, fieldDecisions+" 1 ") && strings.Contains(fields, " "+fieldRecord+" ") {
			t.Errorf("the record of the decision has a purge: %s", fields)
		}
	}
	ended, cancel := context.WithTimeout(background, 3*membersEvery)
	defer cancel()
	if missing := acknowledged(ended); len(missing) != 1 || missing[0] != "an instance of an earlier release ("+old.id[:6]+")" {
		t.Errorf("missing: %q", missing)
	}
	stop()
	_, acknowledged, err = a.Decide(background, Change{From: now, State: []byte("two")})
	must(t, err)
	if missing := await(acknowledged); missing != nil {
		t.Errorf("missing once it is gone: %q", missing)
	}
}

// TestDecisionsLost: an instance reports what it reads after Redis has lost a version.
func TestDecisionsLost(t *testing.T) {
	t.Parallel()
	server := redistest.StartServer(t)
	a := newDecider(t, Options{URLs: []string{server.URL()}, Budget: aLongTime, PurgeWait: calmWait}, "a")
	_, _, err := a.Decide(background, Change{State: []byte("one")})
	must(t, err)
	eventually(t, "the decision is followed", func() bool { return a.last() == "one" })
	server.Do("FLUSHALL")
	eventually(t, "the loss is seen", func() bool { return a.last() == "" })
}

// TestDecisionsNotApplied: an instance that cannot apply decisions does not know them.
func TestDecisionsNotApplied(t *testing.T) {
	t.Parallel()
	server := redistest.StartServer(t)
	broken := make(chan struct{})
	r := open(t, Options{URLs: []string{server.URL()}, Budget: aLongTime, Decided: func(context.Context, Decisions) error {
		select {
		case <-broken:
			return nil
		default:
			return errors.New("no")
		}
	}})
	rec, _ := follow(t, r)
	rec.await("the log is lost", 0, func(n notice) bool { return n.what == "lost" })
	if asOf, current := r.Known(background); current || !asOf.IsZero() {
		t.Error("the decisions count as known")
	}
	close(broken)
	eventually(t, "they are known", func() bool { _, current := r.Known(background); return current })
}
