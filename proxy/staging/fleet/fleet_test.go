package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

func TestMain(m *testing.M) { testwait.Main(m) }

var (
	background = context.Background()
	next       = staging.Candidate{Name: "next"}
	readEvents = staging.Cell{Op: staging.Read, Resource: "events", Language: "en"}
	legacy     = staging.Setting{State: staging.Legacy}
	shadow     = staging.Setting{State: staging.Shadow}
	everything = staging.Setting{State: staging.New}
	events     = staging.Selection{Resources: []string{"events"}}
)

func canary(percent int) staging.Setting {
	return staging.Setting{State: staging.Canary, Percent: percent}
}

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) current() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// instance is an instance of the facade, as far as decisions go. What a test reads of it, it reads as
// a request does: it reads the log first.
type instance struct {
	t      testing.TB
	fleet  *fleet.Fleet
	matrix *staging.Matrix
	store  *redisstore.Store
	uses   fleet.Store // store, or what group.wrap makes of it
	link   *fleet.Link
	logged *observer.ObservedLogs

	mu       sync.Mutex
	readOnly bool
}

// group is the instances on one Redis.
type group struct {
	t     testing.TB
	urls  []string
	clock *clock
	wrap  *hooked // between the next instance and its store; nil: nothing
	n     int
}

// hooked is a store with steps of a test before and after the calls to it.
type hooked struct {
	fleet.Store
	beforeTally func()
	afterDecide func() error // what it returns is the error of the decision, which is made
}

// Tally implements [fleet.Store].
func (h *hooked) Tally(
	ctx context.Context, window time.Duration, lately, added redisstore.NamedNumbers,
) (recent, ever redisstore.NamedNumbers, err error) {
	if h.beforeTally != nil {
		h.beforeTally()
	}
	return h.Store.Tally(ctx, window, lately, added)
}

// Decide implements [fleet.Store].
func (h *hooked) Decide(ctx context.Context, c redisstore.Replacement) (redisstore.SharedState, error) {
	now, err := h.Store.Decide(ctx, c)
	if err == nil && h.afterDecide != nil {
		err = h.afterDecide()
	}
	return now, err
}

func newGroup(t testing.TB, urls ...string) *group {
	return &group{t: t, urls: urls, clock: &clock{now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}}
}

func plan(rules ...staging.Rule) staging.Plan {
	return staging.Plan{Candidate: next, Cells: staging.Cells([]string{"events", "venues"}, []string{"en", "es"}), Rules: rules,
		Rollback: staging.Rollback{Errors: 50, Calls: 10, Window: time.Hour}}
}

// start starts an instance whose configuration has these rules, and waits until it knows the
// decisions.
func (g *group) start(rules ...staging.Rule) *instance {
	g.t.Helper()
	i := g.begin(rules...)
	testwait.Until(g.t, "the decisions are known", i.knows)
	return i
}

func (g *group) begin(rules ...staging.Rule) *instance {
	g.t.Helper()
	i := g.open()
	i.configure(rules...)
	return i
}

// open opens the store of an instance that has no configuration yet.
func (g *group) open() *instance {
	g.t.Helper()
	g.n++
	i := &instance{t: g.t}
	core, logged := observer.New(zap.WarnLevel)
	i.logged = logged
	i.matrix = staging.NewMatrix(g.clock.current, nil)
	i.fleet = fleet.New(fleet.Options{Matrix: i.matrix, Instance: fmt.Sprint("instance", g.n), Log: zap.New(core)})
	i.link = i.fleet.Link()
	store, err := redisstore.Open(redisstore.Options{URLs: g.urls, Timeout: 2 * time.Second, Decided: i.link.Decided})
	i.store = redistest.Closing(g.t, store, err)
	i.uses = i.store
	if g.wrap != nil {
		i.uses = g.wrap
		g.wrap.Store = i.store
		g.wrap = nil
	}
	return i
}

// knows reads the log, and reports whether the instance knows the decisions then.
func (i *instance) knows() bool { return i.store.ReadLog() == nil && i.fleet.Status().Known }

func (i *instance) configure(rules ...staging.Rule) {
	i.fleet.Configure(background, plan(rules...), i.link, i.uses, func(enabled bool) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.readOnly = enabled
	})
}

// refusesWrites reports whether the instance is in read-only mode for a request.
func (i *instance) refusesWrites() bool {
	_ = i.store.ReadLog()
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.readOnly
}

// quit ends an instance.
func (i *instance) quit() { redistest.Must(i.t, i.store.Close()) }

func (i *instance) stage(setting staging.Setting) (version uint64) {
	i.t.Helper()
	version, err := i.fleet.Stage(background, fleet.Change{Selection: events, Setting: setting, Who: "anna", Why: "it is time"})
	redistest.Must(i.t, err)
	return version
}

// events returns the setting of reads of events in English for a request.
func (i *instance) events() string {
	_ = i.store.ReadLog()
	for _, c := range i.matrix.Snapshot().Cells {
		if c.Cell == readEvents {
			return c.Setting.String()
		}
	}
	return "none"
}

// writes returns the number of writes of events in English that the candidate alone has.
func (i *instance) writes() (n uint64) {
	for _, c := range i.matrix.Snapshot().Cells {
		if c.Op == staging.Write && c.Resource == "events" && c.Language == "en" {
			n = c.Written
		}
	}
	return n
}

func (i *instance) want(name, setting string) {
	i.t.Helper()
	if got := i.events(); got != setting {
		i.t.Errorf("%s: %s, want %s", name, got, setting)
	}
}

func rule(setting staging.Setting) staging.Rule {
	return staging.Rule{Selection: events, Setting: setting}
}

func startServer(t *testing.T) (*redistest.Server, *group) {
	t.Parallel()
	s := redistest.StartServer(t)
	return s, newGroup(t, s.URL())
}

// TestFollowed: when a change returns, every instance follows it in its next request, and so does
// one that starts later, or after all were stopped.
func TestFollowed(t *testing.T) {
	_, g := startServer(t)
	a := g.start()
	b := g.start()
	got := a.stage(canary(10))
	b.want("when the change returns", "canary 10%")
	if got != b.fleet.Status().Version {
		t.Errorf("version %d, and b follows version %d", got, b.fleet.Status().Version)
	}
	b.stage(everything)
	a.want("of the other one", "new")
	a.quit()
	b.quit()
	c := g.start()
	c.want("after a restart of all", "new")
	differ := 0
	for _, s := range c.matrix.Snapshot().Cells {
		if s.File != nil {
			differ++
		}
		if s.Cell == readEvents && (s.File == nil || *s.File != legacy || s.Who != "anna" || s.Why != "it is time" || s.Version != got+1) {
			t.Errorf("%+v", s)
		}
	}
	if differ != 4 {
		t.Errorf("%d cells differ from the configuration", differ)
	}
}

// TestLogReadBeforeConfiguration: an instance whose store has read the log before the configuration was set follows the
// decisions in its first request.
func TestLogReadBeforeConfiguration(t *testing.T) {
	_, g := startServer(t)
	g.start(rule(shadow)).stage(everything)
	b := g.open()
	redistest.Must(t, b.store.ReadLog())
	b.configure(rule(shadow))
	b.want("the first request", "new")
}

// TestAudit: the audit log has the decisions of all instances.
func TestAudit(t *testing.T) {
	_, g := startServer(t)
	a := g.start()
	b := g.start()
	a.stage(canary(10))
	_, err := b.fleet.SetReadOnly(background, true, "bert", "the big day")
	redistest.Must(t, err)
	if !a.refusesWrites() || !b.refusesWrites() {
		t.Error("writes are not refused everywhere when the change returns")
	}
	log, shared := a.fleet.Log(background)
	var lines []string
	for _, c := range log {
		lines = append(lines, fmt.Sprintf("%d %s%s %s %s by %s: %s at %s",
			c.Version, c.Mode, c.To, c.From, staging.Describe(c.Cells), c.Who, c.Why, c.Instance))
	}
	want := "3 read_only [] by bert: the big day at instance2\n" +
		"2 canary 10% [legacy] reads and writes of events in en, es by anna: it is time at instance1"
	if got := strings.Join(lines, "\n"); strings.ReplaceAll(got, "  ", " ") != strings.ReplaceAll(want, "  ", " ") || !shared {
		t.Errorf("the log is\n%s\nwant\n%s", got, want)
	}
	c := g.start()
	if !c.refusesWrites() {
		t.Error("an instance that starts accepts writes")
	}
	_, err = c.fleet.SetReadOnly(background, false, "bert", "")
	redistest.Must(t, err)
	if a.refusesWrites() || b.refusesWrites() || c.refusesWrites() {
		t.Error("writes are refused")
	}
}

// TestOneWins: of two changes of the same version one is made.
func TestOneWins(t *testing.T) {
	_, g := startServer(t)
	a := g.start()
	b := g.start()
	version := a.fleet.Status().Version
	errs := make(chan error, 2)
	for n, i := range []*instance{a, b} {
		go func() {
			_, err := i.fleet.Stage(background, fleet.Change{Selection: events, Setting: canary(10 + n), Who: "anna", Version: version})
			errs <- err
		}()
	}
	first := <-errs
	second := <-errs
	if first != nil {
		first, second = second, first
	}
	changed, ok := errors.AsType[*fleet.Changed](second)
	if first != nil || !ok || changed.Version != version+1 {
		t.Errorf("%v, %v", first, second)
	}
	testwait.Until(t, "both follow the one", func() bool { return a.events() == b.events() && strings.HasPrefix(a.events(), "canary") })
}

// TestMakerDies: an instance dies, or its connection breaks, between the change and the answer to
// it. The change stands: it is in the log, all others follow it, and a retry for the version
// before is refused.
func TestMakerDies(t *testing.T) {
	for _, dies := range []bool{true, false} {
		t.Run(fmt.Sprint("dies ", dies), func(t *testing.T) {
			_, g := startServer(t)
			b := g.start()
			maker := &hooked{}
			g.wrap = maker
			a := g.start()
			version := a.fleet.Status().Version
			maker.afterDecide = func() error {
				if dies {
					a.quit()
				}
				return errors.New("the connection is broken")
			}
			change := fleet.Change{Selection: events, Setting: canary(10), Who: "anna", Why: "it is time", Version: version}
			_, err := a.fleet.Stage(background, change)
			if down, ok := errors.AsType[*fleet.Unavailable](err); !ok || !down.Sent {
				t.Errorf("the change: %v, want that it may have been made", err)
			}
			maker.afterDecide = nil
			testwait.Until(t, "the other one follows", func() bool { return b.events() == "canary 10%" })
			if !dies {
				testwait.Until(t, "so does the maker", func() bool { return a.events() == "canary 10%" })
			}
			_, err = b.fleet.Stage(background, change)
			if changed, ok := errors.AsType[*fleet.Changed](err); !ok || changed.Version != version+1 {
				t.Errorf("the retry: %v, want that version %d is the latest", err, version+1)
			}
			log, _ := b.fleet.Log(background)
			c := log[0]
			if len(log) != 1 || c.Version != version+1 || c.Who != "anna" || c.Instance != "instance2" {
				t.Errorf("the log is %+v", log)
			}
			if got := b.stage(canary(20)); got != version+2 {
				t.Errorf("the next change: version %d", got)
			}
		})
	}
}

// TestWithoutRedis: decisions stay as they were last known, no decision is made, and all goes on when
// Redis is back, even if it has lost everything.
func TestWithoutRedis(t *testing.T) {
	server, g := startServer(t)
	a := g.start()
	b := g.start()
	a.stage(everything)
	version := b.fleet.Status().Version
	a.matrix.Wrote(next, staging.Cell{Op: staging.Write, Resource: "events", Language: "en"})
	server.Kill()
	testwait.Until(t, "the decisions are not known any more", func() bool { _ = a.store.ReadLog(); return !a.fleet.Status().Known })
	a.want("while redis is down", "new")
	_, err := a.fleet.Stage(background, fleet.Change{Selection: events, Setting: legacy, Who: "anna"})
	if down, ok := errors.AsType[*fleet.Unavailable](err); !ok || down.Sent {
		t.Errorf("a change: %v", err)
	}
	// The candidate fails: that is no decision of one instance.
	for range 20 {
		a.matrix.Answered(next, readEvents, true)
	}
	a.fleet.Count(background, true)
	a.want("after failures", "new")
	cold := g.begin()
	if cold.knows() {
		t.Error("an instance that starts without redis knows the decisions")
	}
	server.Start() // empty
	restored := func(i *instance) bool { return i.knows() && i.events() == "new" && i.fleet.Status().Version > version }
	testwait.Until(t, "the decision is restored", func() bool { // each reads the log: b may restore the version that it knows first
		return restored(a) && restored(b) && restored(cold)
	})
	testwait.Until(t, "the writes of the candidate are, too", func() bool {
		a.fleet.Count(background, false)
		a.fleet.Count(background, false)
		cold.fleet.Count(background, true)
		return cold.writes() == 1
	})
	if a.logged.FilterMessageSnippet("redis has lost a decision").Len()+
		b.logged.FilterMessageSnippet("redis has lost a decision").Len() == 0 {
		t.Error("it was not logged")
	}
	if log, _ := a.fleet.Log(background); len(log) == 0 || log[len(log)-1].Who != fleet.ByRedis {
		t.Errorf("the audit log does not have it: %+v", log)
	}
}

// TestRestoredByTheLatest: an instance that has not read the last decision finds out first that Redis
// has lost everything. The one that knows it restores it all the same.
func TestRestoredByTheLatest(t *testing.T) {
	server, g := startServer(t)
	a := g.start()
	b := g.start()
	a.stage(everything)
	server.Kill()
	server.Start() // empty
	testwait.Until(t, "the earlier decisions are restored", func() bool { return b.knows() && b.fleet.Status().Version > 1 })
	testwait.Until(t, "the last one is, too", func() bool { return a.knows() && a.events() == "new" && b.events() == "new" })
}

// TestFailover: a promoted replica that lacks a decision gets it again.
func TestFailover(t *testing.T) {
	t.Parallel()
	s := redistest.StartSentinel(t)
	g := newGroup(t, s.URLs()...)
	a := g.start()
	b := g.start()
	a.stage(canary(10))
	version := b.fleet.Status().Version
	instances := []*instance{a, b}
	var breaks []uint64
	for _, i := range instances {
		breaks = append(breaks, i.store.Stats().Breaks)
	}
	s.Failover(t)
	for n, i := range instances {
		testwait.Until(t, "the log of the replica is followed", func() bool { return i.knows() && i.store.Stats().Breaks > breaks[n] })
		testwait.Until(t, "the decision is still followed", i.knows)
		i.want("after the failover", "canary 10%")
		if now := i.fleet.Status().Version; now < version {
			t.Errorf("version %d became %d", version, now)
		}
	}
	// The connections for other calls may still be to the old master, which loses what it accepts.
	testwait.Until(t, "a change is made and followed", func() bool {
		_, err := a.fleet.Stage(background, fleet.Change{Selection: events, Setting: everything, Who: "anna", Why: "it is time"})
		return err == nil && b.events() == "new"
	})
}

// TestCluster: all keys of a change are on one node.
func TestCluster(t *testing.T) {
	t.Parallel()
	g := newGroup(t, redistest.StartCluster(t).URLs...)
	a := g.start()
	b := g.start()
	a.stage(canary(10))
	b.want("the change", "canary 10%")
	for range 10 {
		a.matrix.Answered(next, readEvents, true)
	}
	a.fleet.Count(background, true)
	testwait.Until(t, "rolled back", func() bool { return b.events() == "legacy" })
}
