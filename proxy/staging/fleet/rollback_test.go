package fleet_test

import (
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestRollback: the failures of all instances count, though no instance has enough.
func TestRollback(t *testing.T) {
	_, g := startServer(t)
	a := g.start()
	b := g.start()
	a.stage(canary(10))
	b.want("before the failures", "canary 10%")
	for range 6 {
		a.matrix.Answered(next, readEvents, true)
		b.matrix.Answered(next, readEvents, true)
	}
	a.fleet.Count(background, false)
	a.want("with the failures of one", "canary 10%")
	b.fleet.Count(background, false)
	b.want("with those of both", "legacy")
	testwait.Until(t, "the other one follows", func() bool { return a.events() == "legacy" })
	for _, i := range []*instance{a, b} {
		if n := i.matrix.Snapshot().Rollbacks; n != 1 {
			t.Errorf("%d rollbacks", n)
		}
	}
	log, _ := a.fleet.Log(background)
	if c := log[0]; c.Who != staging.ByRollback || c.Why != "12 of 12 responses failed within 1h0m0s" ||
		c.Instance != "instance2" || len(c.Cells) != 2 {
		t.Errorf("%+v", c)
	}
	// Earlier counts do not count after the next change.
	a.stage(canary(20))
	a.matrix.Answered(next, readEvents, true)
	a.fleet.Count(background, false)
	a.want("after one more failure", "canary 20%")
}

// TestRollbackAfterWrites: the write of another instance prevents a rollback, from the moment
// that its client is answered.
func TestRollbackAfterWrites(t *testing.T) {
	_, g := startServer(t)
	a := g.start()
	b := g.start()
	a.stage(canary(10))
	b.want("before the write", "canary 10%")
	b.matrix.Wrote(next, staging.Cell{Op: staging.Write, Resource: "events", Language: "en"})
	for range 20 {
		a.matrix.Answered(next, readEvents, true)
	}
	g.clock.add(time.Second)
	a.fleet.Count(background, false)
	a.want("after a write elsewhere", "canary 10%")
	log, _ := a.fleet.Log(background)
	why := "not rolled back, though 20 of 20 responses failed within 1h0m0s: next has accepted 1 writes that the legacy does not have"
	if c := log[0]; c.Who != staging.ByRollback || c.Why != why {
		t.Errorf("%+v", c)
	}
	if n := a.writes(); n != 1 {
		t.Errorf("%d writes", n)
	}
	a.stage(legacy)
	a.stage(canary(10))
	b.want("before the failures", "canary 10%")
	for range 20 {
		b.matrix.Answered(next, readEvents, true)
	}
	b.fleet.Count(background, false)
	b.want("the legacy had served in between", "legacy")
}
