package onward

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
)

// pair are two instances with one target, and a Redis.
type pair struct {
	*testing.T
	server    *redistest.Server
	prefix    string
	spaces    [2]string
	receiver  *receiver
	stores    [2]*redisstore.Store
	instances [2]*instance
}

// startPair starts a pair with a target that has everything.
func startPair(t *testing.T) *pair {
	p := newPair(t, [2]string{})
	p.await("all")
	p.purge(0, "events:0")
	p.await("events:0")
	p.awaitNothing()
	return p
}

// newPair starts a pair with the tag space of each.
func newPair(t *testing.T, spaces [2]string) *pair {
	t.Parallel()
	p := &pair{T: t, spaces: spaces, server: redistest.StartServer(t), prefix: redistest.FreshPrefix(), receiver: &receiver{}}
	for n := range p.instances {
		s, err := redisstore.Open(redisstore.Options{
			URLs: []string{p.server.URL()}, Prefix: p.prefix, Brief: testwait.Limit, Timeout: testwait.Limit,
		})
		p.stores[n] = redistest.Closing(t, s, err)
		i := &instance{t: t, receiver: p.receiver, d: New(nil)}
		i.d.dial = func(Target) transport { return p.receiver }
		p.instances[n] = i
		p.configure(n)
		t.Cleanup(func() { i.d.Close(t.Context()) })
	}
	return p
}

// awaitNothing waits until nothing waits for the target.
func (p *pair) awaitNothing() {
	p.Helper()
	testwait.Until(p, "nothing waits", func() bool {
		return p.instances[0].d.Couriers()[0].Status().Waiting+p.instances[1].d.Couriers()[0].Status().Waiting == 0
	})
}

func (p *pair) configure(n int) {
	p.instances[n].d.Configure(Plan{
		Targets: []Target{{Name: "front", Kind: Varnish}}, PublicURL: base, Languages: languages, Keys: plainKeys{},
		Log: p.stores[n], TagSpace: p.spaces[n],
	})
}

// purge makes a purge at an instance, which the other one sees.
func (p *pair) purge(n int, tag string) {
	p.Helper()
	position, err := p.stores[n].Append(p.Context(), fmt.Appendf(nil, `{"v":3,"space":%q,"tags":[%q]}`, p.spaces[n], tag))
	redistest.Must(p, err)
	for i, instance := range p.instances {
		instance.purged(cache.Purged{Purge: cache.Purge{Tags: []string{tag}}, At: position, Local: i == n})
	}
}

// await waits until the target has got something, and forgets it.
func (p *pair) await(want string) {
	p.Helper()
	p.Cleanup(func() {
		if p.Failed() {
			p.Logf("wanted %q, got %q", want, p.receiver.whats())
		}
	})
	testwait.Until(p, want+" is delivered", func() bool {
		p.receiver.mu.Lock()
		defer p.receiver.mu.Unlock()
		var lines []string
		for _, g := range p.receiver.got {
			lines = append(lines, strings.Fields(g.name)...)
		}
		slices.Sort(lines)
		if strings.Join(lines, " ") == want {
			p.receiver.got = nil
			return true
		}
		return false
	})
}

// TestOnceWithRedis: a purge that two instances make, or see, is sent once.
func TestOnceWithRedis(t *testing.T) {
	p := startPair(t)
	for n := range 10 {
		tag := fmt.Sprint("events:", n)
		p.purge(n%2, tag)
		p.await(tag)
	}
	p.awaitNothing()
	if got := p.receiver.whats(); got != "" {
		t.Errorf("%s is sent again", got)
	}
}

// TestDeadWithRedis: purges that an instance had read when it died are sent by another.
func TestDeadWithRedis(t *testing.T) {
	p := startPair(t)
	p.receiver.set(status(503))
	p.purge(0, "events:1")
	log := p.prefix + ":log"
	testwait.Until(t, "it is read", func() bool { return p.server.Do("XPENDING", log, "front").([]any)[0].(int64) == 1 })
	for _, i := range p.instances {
		i.kill()
	}
	p.receiver.set(nil)
	entry := p.server.Do("XPENDING", log, "front", "-", "+", "1").([]any)[0].([]any)
	p.server.Do("XCLAIM", log, "front", "dead", 0, entry[0], "IDLE", 60_000, "JUSTID")
	last := New(nil)
	last.dial = func(Target) transport { return p.receiver }
	last.Configure(Plan{
		Targets: []Target{{Name: "front", Kind: Varnish}}, PublicURL: base, Languages: languages, Keys: plainKeys{}, Log: p.stores[1],
	})
	defer last.Close(t.Context())
	p.await("events:1")
}

// TestLostWithRedis: everything is purged when records may be gone.
func TestLostWithRedis(t *testing.T) {
	for name, damage := range map[string]func(*pair){
		"trimmed": func(p *pair) {
			const script = `for i = 1, 2 do redis.call('XADD', KEYS[1], '*', 'r', 'hard2') end
				return redis.call('XTRIM', KEYS[1], 'MAXLEN', 1)`
			p.server.Do("EVAL", script, 1, p.prefix+":log") // no log read in between
		},
		"flushed": func(p *pair) { p.server.Do("FLUSHALL") },
	} {
		t.Run(name, func(t *testing.T) {
			p := startPair(t)
			damage(p)
			p.purge(1, "events:2")
			p.await("all")
			p.purge(0, "events:3")
			p.await("events:3")
		})
	}
}

// TestRefusedWithRedis: a refusal is known to all, and any instance sends it again.
func TestRefusedWithRedis(t *testing.T) {
	p := startPair(t)
	p.receiver.set(status(403))
	p.purge(0, "events:1")
	testwait.Until(t, "it is refused", func() bool { return len(p.instances[1].letters()) == 1 })
	p.receiver.set(nil)
	if r := p.instances[1].replay(); !r.Done || r.Deliveries != 1 {
		t.Errorf("%+v", r)
	}
	p.await("events:1")
	if l := p.instances[0].letters(); len(l) != 0 {
		t.Errorf("afterwards %+v", l)
	}
}

// TestReloadWithRedis: purges that wait at a reload are sent.
func TestReloadWithRedis(t *testing.T) {
	p := startPair(t)
	p.receiver.set(status(503))
	p.purge(0, "events:1")
	testwait.Until(t, "it fails", func() bool {
		return p.instances[0].d.Couriers()[0].Status().Failed+p.instances[1].d.Couriers()[0].Status().Failed > 0
	})
	p.configure(0)
	p.configure(1)
	p.receiver.set(nil)
	p.await("events:1")
}

// TestSpacesWithRedis: with instances of two configurations, whose languages differ, each purge goes on
// as everything too. The one that makes it may not know all that it means.
func TestSpacesWithRedis(t *testing.T) {
	p := newPair(t, [2]string{"one", "two"})
	p.await("all all")
	p.purge(0, "events:0")
	p.await("all events:0")
	p.awaitNothing()
	for n, tag := range []string{"en:events", "es:events"} {
		p.purge(n, tag)
		p.await("all " + tag)
	}
	p.spaces[0] = "two"
	p.configure(0)
	p.awaitNothing()
	p.purge(0, "en:events")
	p.await("en:events")
	p.awaitNothing()
}

// TestDownWithRedis: an instance sends its own purges while Redis is down.
func TestDownWithRedis(t *testing.T) {
	p := startPair(t)
	p.server.Kill()
	p.instances[0].purged(cache.Purged{Purge: cache.Purge{Tags: []string{"events:1"}}, Local: true})
	p.await("events:1")
}
