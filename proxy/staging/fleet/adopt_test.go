package fleet_test

import (
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestReload: a change of the configuration wins over decisions, for all instances; one that
// has not changed does not.
func TestReload(t *testing.T) {
	_, g := startServer(t)
	a := g.start(rule(shadow))
	b := g.start(rule(shadow))
	a.want("the configuration", "shadow")
	a.stage(canary(10))
	b.configure(rule(shadow))
	b.want("the same configuration", "canary 10%")
	b.configure(rule(canary(30)))
	b.want("another one", "canary 30%")
	testwait.Until(t, "the others follow", func() bool { return a.events() == "canary 30%" })
	a.stage(everything)
	a.configure(rule(canary(30)))
	a.want("the second instance reads the same change later", "new")
	b.configure(rule(shadow))
	b.want("back to the first configuration", "shadow")
}

// TestRollingRestart: while instances have two configurations, the newer one wins, also when
// one with the older one starts again.
func TestRollingRestart(t *testing.T) {
	_, g := startServer(t)
	a := g.start(rule(shadow))
	b := g.start(rule(shadow))
	b.quit()
	b = g.start(rule(canary(10)))
	b.want("the newer configuration", "canary 10%")
	testwait.Until(t, "the other one follows", func() bool { return a.events() == "canary 10%" })
	a.quit()
	g.clock.add(time.Minute)
	a = g.start(rule(shadow))
	a.want("started with the older one", "canary 10%")
	b.want("which does not fight", "canary 10%")
	b.stage(everything)
	a.quit()
	a = g.start(rule(canary(10)))
	a.want("updated at last, after a decision", "new")
	a.quit()
	g.clock.add(11 * time.Minute)
	a = g.start(rule(shadow))
	a.want("the older one again, on purpose", "shadow")
}

// TestOtherCandidate: the decisions for one candidate are not those for another one.
func TestOtherCandidate(t *testing.T) {
	_, g := startServer(t)
	a := g.start()
	b := g.start()
	a.stage(everything)
	p := plan()
	p.Candidate = staging.Candidate{Name: "third"}
	b.fleet.Configure(background, p, b.link, b.store, func(bool) {})
	b.want("of another candidate", "legacy")
	a.want("of the first one", "new")
	b.configure()
	b.want("and again", "new")
}

// TestReloadWithoutRedis: a configuration that changes while Redis is down holds at once, and
// for all when Redis is back.
func TestReloadWithoutRedis(t *testing.T) {
	server, g := startServer(t)
	a := g.start(rule(everything))
	b := g.start(rule(everything))
	server.Kill()
	testwait.Until(t, "redis is down", func() bool { _ = a.store.ReadLog(); return !a.store.Up() })
	a.configure(rule(legacy))
	a.want("at once", "legacy")
	b.want("elsewhere", "new")
	server.Start()
	testwait.Until(t, "for all", func() bool {
		a.fleet.Count(background, false)
		return b.events() == "legacy" && a.events() == "legacy"
	})
}
