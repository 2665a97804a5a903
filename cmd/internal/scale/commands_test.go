package scale

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
)

// TestCommands compares the commands that the model counts for entries and leases with those
// that a real Redis counts.
func TestCommands(t *testing.T) {
	t.Parallel()
	model := simulated(t, func(r *server) {
		use(t, r.link(0), r.link(1))
	})
	s := redistest.StartServer(t)
	o := redisstore.Options{URLs: []string{s.URL()}, Prefix: redistest.FreshPrefix(), Budget: testwait.Limit}
	a, b := open(t, o), open(t, o)
	use(t, cache.Redis(a), cache.Redis(b)) // loads the scripts
	s.Do("CONFIG", "RESETSTAT")
	use(t, cache.Redis(a), cache.Redis(b))
	want := map[string]int64{
		"get":     model.Lookups + 3, // a lease that is acquired, refused, and released
		"set":     model.Stores + 1,  // the lease
		"evalsha": model.Leases,
		"del":     1,
	}
	got := commandsOf(t, s)
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: %d, want %d", name, got[name], n)
		}
	}
	if model.Lookups != 2 || model.Stores != 1 || model.Leases != 3 {
		t.Errorf("the model counts %+v", model)
	}
}

// use makes each call for entries and leases, but for those that poll.
func use(t *testing.T, a, b cache.Shared) {
	t.Helper()
	ctx := context.Background()
	a.Get(ctx, "entry")
	a.Put(ctx, "entry", []byte("x"), time.Minute)
	b.Get(ctx, "entry")
	lease, held, err := a.Acquire(ctx, "key", 0, time.Minute)
	if _, taken, _ := b.Acquire(ctx, "key", 0, time.Minute); !held || taken || err != nil {
		t.Fatal("the lease is not held, or twice", err)
	}
	lease.Release(ctx, "")
}

// TestCommandsOfFollowers does so for the purge log and those that follow it.
func TestCommandsOfFollowers(t *testing.T) {
	t.Parallel()
	const instances, purges = 3, 5
	model := simulated(t, func(r *server) {
		ctx, stop := context.WithCancel(context.Background())
		for i := range instances {
			go r.link(i).Follow(ctx, ignorant{})
		}
		time.Sleep(time.Second)
		purge(t, r.link(0), purges)
		time.Sleep(time.Second)
		stop()
	})
	s := redistest.StartServer(t)
	o := redisstore.Options{URLs: []string{s.URL()}, Prefix: redistest.FreshPrefix(), Budget: testwait.Limit, PurgeWait: 2 * time.Second}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all []*redisstore.Store
	followed := make(chan struct{})
	for range instances {
		r := open(t, o)
		all = append(all, r)
		go func() {
			defer func() { followed <- struct{}{} }()
			r.Follow(ctx, ignorant{})
		}()
	}
	testwait.Until(t, "all follow", func() bool { return all[0].Stats().Followers == instances })
	purge(t, cache.Redis(all[0]), 1) // loads the script, and subscribes
	s.Do("CONFIG", "RESETSTAT")
	purge(t, cache.Redis(all[0]), purges)
	testwait.Until(t, "they check the log", func() bool { return commandsOf(t, s)["exec"] >= 3*instances })
	stop()
	for range instances {
		<-followed
	}
	got := commandsOf(t, s)
	if got["evalsha"] != model.Appends || got["publish"] != model.Acks || model.Appends != purges || model.Acks != purges*(instances-1) {
		t.Errorf("%d records and %d acknowledgements, and by the model %d and %d", got["evalsha"], got["publish"], model.Appends, model.Acks)
	}
	checks := got["exec"]
	want := map[string]int64{"multi": checks, "xinfo|stream": checks, "eval": checks, "hmget": checks}
	for name := range want {
		if d := got[name] - checks; d < -instances || d > instances { // one may have begun as another ended
			t.Errorf("%d %s in %d checks", got[name], name, checks)
		}
	}
	// A check is followed by a read, and a record by another one.
	reads, modelChecks := got["xread"]-checks, model.Checks/perCheck
	slack := int64(instances * (purges + 1))
	if d := reads - checks; d < -slack || d > slack {
		t.Errorf("%d reads between %d checks", reads, checks)
	}
	if d := model.Reads - modelChecks; d < -slack || d > slack {
		t.Errorf("by the model, %d reads between %d checks", model.Reads, modelChecks)
	}
}

// purge makes purges, one after the other.
func purge(t *testing.T, l cache.Shared, n int) {
	t.Helper()
	for range n {
		_, applied, err := l.AppendAwaited(context.Background(), []byte("hard2\nx"))
		if err != nil {
			t.Fatal(err)
		}
		applied(context.Background())
	}
}

// simulated returns the commands of what use does on the model.
func simulated(t *testing.T, use func(*server)) (n Commands) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		r := newServer(Default())
		use(r)
		synctest.Wait()
		n = r.n
	})
	return n
}

func (r *server) link(instance int) *link {
	return &link{server: r, instance: instance, oneWay: time.Duration(100+instance) * time.Microsecond}
}

// ignorant is a follower that does nothing.
type ignorant struct{}

func (ignorant) Apply(redisstore.Position, []byte) {}
func (ignorant) Distrust(redisstore.Position)      {}
func (ignorant) Checking()                         {}
func (ignorant) Caught(redisstore.Position)        {}
func (ignorant) Lost()                             {}

func open(t *testing.T, o redisstore.Options) *redisstore.Store {
	t.Helper()
	r, err := redisstore.Open(o)
	return redistest.Closing(t, r, err)
}

// commandsOf returns the calls of each command that the server counts.
func commandsOf(t *testing.T, s *redistest.Server) map[string]int64 {
	t.Helper()
	info, err := s.Admin.Info(t.Context(), "commandstats").Result()
	redistest.Must(t, err)
	all := map[string]int64{}
	for line := range strings.Lines(info) {
		name, rest, found := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls=")
		if !found {
			continue
		}
		n, _, _ := strings.Cut(rest, ",")
		for _, digit := range n {
			all[name] = 10*all[name] + int64(digit-'0')
		}
	}
	return all
}
