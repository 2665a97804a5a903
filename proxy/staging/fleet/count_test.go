package fleet_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
)

// counts are the numbers of a cell since its last change.
type counts struct {
	staging.Counts
	Requests staging.Sides
}

// counted returns the counts that the instance reports of reads of events in English.
func (i *instance) counted() (counted counts) {
	for _, c := range i.matrix.Snapshot().Cells {
		if c.Cell == readEvents {
			return counts{Counts: c.Counts, Requests: c.Requests}
		}
	}
	return counted
}

// serve counts a request that the candidate failed, and a comparison.
func (i *instance) serve() {
	_ = i.store.ReadLog()
	stagingtest.Route(i.matrix, next, readEvents, staging.Client{Number: 5})
	i.matrix.Answered(next, readEvents, true)
	i.matrix.Compared(next, readEvents, false)
}

func (i *instance) wantCounted(name string, want uint64) {
	i.t.Helper()
	n := counts{
		Counts:   staging.Counts{Calls: want, Failures: want, Compared: want},
		Requests: staging.Sides{Candidate: want},
	}
	if diff := cmp.Diff(n, i.counted()); diff != "" {
		i.t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestCountsOfAll: each instance reports the counts of all since the last change, also after
// a restart.
func TestCountsOfAll(t *testing.T) {
	_, g := startServer(t)
	a := g.start()
	b := g.start()
	a.stage(canary(10))
	a.serve()
	a.serve()
	b.serve()
	a.wantCounted("before it is added", 2)
	a.fleet.Count(background, false)
	b.fleet.Count(background, false)
	b.wantCounted("the second one", 3)
	a.serve()
	a.fleet.Count(background, true)
	a.wantCounted("the first one", 4)
	b.fleet.Count(background, true)
	b.wantCounted("which the second one learns", 4)
	a.quit()
	a = g.start()
	a.fleet.Count(background, true)
	a.serve()
	a.wantCounted("after a restart", 5)
	a.stage(canary(20))
	for _, i := range []*instance{a, b} {
		i.fleet.Count(background, true)
		i.wantCounted("after a change", 0)
	}
}

// TestCountsOfAnEarlierVersion: what an instance has counted of a version does not count for the
// next one, and what it has counted of other cells is not lost.
func TestCountsOfAnEarlierVersion(t *testing.T) {
	_, g := startServer(t)
	b := g.start()
	late := &hooked{}
	g.wrap = late
	a := g.start()
	a.stage(canary(10))
	a.serve()
	venues := staging.Cell{Op: staging.Read, Resource: "venues", Language: "en"}
	a.matrix.Answered(next, venues, false)
	late.beforeTally = func() { b.stage(canary(20)) }
	a.fleet.Count(background, true)
	late.beforeTally = func() {}
	a.fleet.Count(background, true)
	b.fleet.Count(background, true)
	b.wantCounted("of the version before", 0)
	for _, c := range b.matrix.Snapshot().Cells {
		if c.Cell == venues && c.Calls != 1 {
			t.Errorf("%d calls of another cell", c.Calls)
		}
	}
}

// TestCountsWithoutRedis: counts from the time when Redis was down is added when it is back.
func TestCountsWithoutRedis(t *testing.T) {
	server, g := startServer(t)
	a := g.start()
	b := g.start()
	a.stage(canary(10))
	server.Freeze()
	testwait.Until(t, "redis is down", func() bool { _ = a.store.ReadLog(); return !a.store.Up() })
	a.serve()
	a.fleet.Count(background, false)
	server.Resume()
	testwait.Until(t, "redis is back", func() bool { return a.knows() && b.knows() })
	testwait.Until(t, "it is added", func() bool {
		a.fleet.Count(background, true)
		b.fleet.Count(background, true)
		return b.counted().Calls == 1
	})
	a.wantCounted("at both", 1)
}
