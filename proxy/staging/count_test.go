package staging_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
)

// responses counts responses of the candidate, the failed ones last. Successful writes count
// as accepted.
func (m *matrixTest) responses(c staging.Cell, well, failed int) {
	for i := range well + failed {
		if c.Op == staging.Write && i < well {
			m.Wrote(m.plan.Candidate, c)
		}
		m.Answered(m.plan.Candidate, c, i >= well)
	}
}

func (m *matrixTest) comparisons(c staging.Cell, equal, different int) {
	for i := range equal + different {
		m.Compared(m.plan.Candidate, c, i >= equal)
	}
}

func TestRollsBack(t *testing.T) {
	const errors = 10
	for name, test := range map[string]struct {
		setting staging.Setting
		do      func(*matrixTest)
		zero    bool // never roll back
		why     string
	}{
		"errors": {setting: canary(10), do: func(m *matrixTest) { m.responses(readEvents, 17, 3) },
			why: "3 of 20 responses failed within 1m0s"},
		"errors of writes": {setting: canary(10), do: func(m *matrixTest) { m.responses(writeEvents, 0, 20) },
			why: "20 of 20 responses failed within 1m0s"},
		"at the limit":  {setting: canary(10), do: func(m *matrixTest) { m.responses(readEvents, 18, 2) }},
		"too few calls": {setting: canary(10), do: func(m *matrixTest) { m.responses(readEvents, 0, 19) }},
		"with fallback": {setting: fallback, do: func(m *matrixTest) { m.responses(readEvents, 0, 20) },
			why: "20 of 20 responses failed within 1m0s"},
		"differences": {setting: everything, do: func(m *matrixTest) { m.comparisons(readEvents, 0, 100) }},
		"shadow": {setting: shadow, do: func(m *matrixTest) {
			m.comparisons(readEvents, 0, 100)
			m.responses(readEvents,
				0, 100)
		}},
		"no limits": {setting: everything, do: func(m *matrixTest) {
			m.comparisons(readEvents, 0, 100)
			m.responses(readEvents,
				0, 100)
		}, zero: true},
		"an unknown cell": {setting: everything, do: func(m *matrixTest) {
			m.responses(staging.Cell{Op: staging.Read,
				Resource: "things"}, 0, 100)
		}},
		"a while ago": {setting: everything, do: func(m *matrixTest) {
			m.responses(readEvents, 0, 19)
			m.now = m.now.Add(time.Minute)
			m.responses(readEvents, 0, 19)
		}},
		"just within the window": {setting: everything, do: func(m *matrixTest) {
			m.responses(readEvents, 0, 19)
			m.now = m.now.Add(54 * time.Second)
			m.responses(readEvents, 0, 1)
		}, why: "20 of 20 responses failed within 1m0s"},
		"the clock is set back": {setting: everything, do: func(m *matrixTest) {
			m.responses(readEvents, 0, 19)
			m.now = m.now.Add(-time.Hour)
			m.responses(readEvents, 0, 1)
		}, why: "20 of 20 responses failed within 1m0s"},
		"the clock is set back and forth": {setting: everything, do: stepClock, why: "20 of 20 responses failed within 1m0s"},
		"before the last change": {setting: everything, do: func(m *matrixTest) {
			m.responses(readEvents, 0, 19)
			m.set(canary(50), "events", "en")
			m.responses(readEvents, 0, 19)
		}},
		"slowly, at the limit": {setting: everything, do: func(m *matrixTest) {
			for range 20 {
				m.responses(readEvents, 0, 1)
				m.now = m.now.Add(2 * time.Second)
			}
		}, why: "20 of 20 responses failed within 1m0s"},
		"seldom": {setting: everything, do: func(m *matrixTest) {
			for range 100 {
				m.responses(readEvents, 0, 1)
				m.now = m.now.Add(4 * time.Second)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMatrixTest(t)
			if !test.zero {
				m.plan.Rollback = staging.Rollback{Errors: errors}
				m.Configure(m.plan)
			}
			m.set(test.setting, "", "")
			snapshot := m.Snapshot()
			test.do(m)
			s := m.Snapshot()
			if test.why == "" {
				if s.Rollbacks > 0 || s.History[0].Who == staging.ByRollback {
					t.Errorf("rolled back: %+v", s.History[0])
				}
				return
			}
			// Reads and writes are rolled back, and no other cell.
			for i, c := range s.Cells {
				want := snapshot.Cells[i].Setting
				person := "anna"
				if c.Resource == "events" && c.Language == "en" {
					want = legacy
					person = staging.ByRollback
				}
				if c.Setting != want || c.Who != person {
					t.Errorf("%s is %s by %s, want %s by %s", c.Cell, c.Setting, c.Who, want, person)
				}
			}
			got := s.History[0]
			if s.Rollbacks != 1 || got.Who != staging.ByRollback || got.Why != test.why || got.To != legacy ||
				len(got.Cells) != 2 {
				t.Errorf("%d rollbacks, the last %+v, want %s", s.Rollbacks, got, test.why)
			}
		})
	}
}

func stepClock(m *matrixTest) {
	m.responses(readEvents, 0, 18)
	for _, step := range []time.Duration{-6 * time.Second, 6 * time.Second} {
		m.now = m.now.Add(step)
		m.responses(readEvents, 0, 1)
	}
}

// TestWindowExpires: after a pause of any length no earlier response counts.
func TestWindowExpires(t *testing.T) {
	for pause := time.Minute; pause < 5*time.Minute; pause += time.Second {
		m := newMatrixTest(t)
		m.plan.Rollback = staging.Rollback{Errors: 1}
		m.Configure(m.plan)
		m.set(everything, "", "")
		m.responses(readEvents, 0, 19)
		m.now = m.now.Add(pause)
		m.responses(readEvents, 0, 19)
		if m.Snapshot().Rollbacks > 0 {
			t.Errorf("rolled back for failures %s ago", pause)
		}
	}
}

// TestRollbackSkipsLegacy: a cell that is at the legacy is not reported as rolled back.
func TestRollbackSkipsLegacy(t *testing.T) {
	m := newMatrixTest(t)
	m.plan.Rollback = staging.Rollback{Errors: 50, Calls: 2, Window: time.Second}
	m.Configure(m.plan)
	m.set(everything, "events", "en", staging.Read)
	m.changes()
	m.responses(readEvents, 0, 2)
	m.wantChanges("reads alone", "rollback: [read events en] legacy: 2 of 2 responses failed within 1s")
	m.responses(readEvents, 0, 2)
	m.wantChanges("late responses")
}

// TestNewLimits: new limits apply once they are configured, and preserve the settings
// that were made by hand.
func TestNewLimits(t *testing.T) {
	m := newMatrixTest(t)
	m.plan.Rollback = staging.Rollback{Errors: 50, Calls: 4, Window: time.Minute}
	m.Configure(m.plan)
	m.set(everything, "events", "en")
	m.changes()
	m.responses(readEvents, 0, 3)
	m.plan.Rollback.Window = time.Hour
	m.Configure(m.plan)
	for range 3 { // the buckets of an hour have other numbers than those of a minute
		m.now = m.now.Add(time.Hour)
		m.responses(readEvents, 0, 1)
	}
	m.wantChanges("below the limit")
	m.responses(readEvents, 0, 3)
	m.wantChanges("above the limit", "rollback: [read events en write events en] legacy: 4 of 4 responses failed within 1h0m0s")
}

// TestRollbackLosesNoWrites: a rollback would lose the writes that only the candidate
// has, so that an operator decides on it.
func TestRollbackLosesNoWrites(t *testing.T) {
	limits := staging.Rollback{Errors: 50, Calls: 2, Window: time.Second}
	begin := func(t *testing.T) *matrixTest {
		m := newMatrixTest(t)
		m.plan.Rollback = limits
		m.Configure(m.plan)
		m.set(canary(10), "events", "en")
		m.responses(writeEvents, 3, 1)
		m.responses(readEvents, 3, 1)
		m.changes()
		m.now = m.now.Add(time.Hour)
		return m
	}
	t.Run("stays", func(t *testing.T) {
		m := begin(t)
		m.responses(readEvents, 0, 5)
		m.wantChanges("once", "rollback: [read events en] canary 10%: not rolled back, though 2 of 2 responses failed within 1s: "+
			"next has accepted 3 writes that the legacy does not have")
		m.responses(writeEvents, 0, 5)
		m.wantChanges("of writes", "rollback: [write events en] canary 10%: not rolled back, though 2 of 2 responses failed within "+
			"1s: next has accepted 3 writes that the legacy does not have")
		m.want("it stays", map[string]string{"read events en": "canary 10%", "write events en": "canary 10%"})
		if s := m.Snapshot(); s.Rollbacks != 0 || s.Cells[0].Written != 0 || s.Cells[1].Written != 3 {
			t.Errorf("%d rollbacks, written %d and %d", s.Rollbacks, s.Cells[0].Written, s.Cells[1].Written)
		}
	})
	t.Run("stays after the canary grew", func(t *testing.T) {
		m := begin(t)
		m.set(canary(20), "events", "en")
		m.set(everything, "events", "en")
		m.responses(readEvents, 0, 5)
		m.want("it stays", map[string]string{"read events en": "new", "write events en": "new"})
	})
	t.Run("rolls back after a time at the legacy", func(t *testing.T) {
		m := begin(t)
		m.set(legacy, "events", "en")
		m.set(canary(20), "events", "en")
		m.responses(readEvents, 0, 2)
		m.want("rolled back", map[string]string{})
	})
	t.Run("rolls back with another candidate", func(t *testing.T) {
		m := begin(t)
		m.plan.Candidate.Name = "other"
		m.plan.Rules = []staging.Rule{rule(canary(10), "events", "en")}
		m.Configure(m.plan)
		m.responses(readEvents, 0, 2)
		m.want("rolled back", map[string]string{})
	})
	t.Run("rolls back if no write succeeded", func(t *testing.T) {
		m := begin(t)
		m.set(everything, "venues", "en")
		for range 2 {
			m.Answered(m.plan.Candidate, staging.Cell{Op: staging.Write, Resource: "venues", Language: "en"}, true)
		}
		m.want("rolled back", map[string]string{"read events en": "canary 10%", "write events en": "canary 10%"})
	})
}

// TestCounts: operators see the counts since the last change, metrics the
// totals.
func TestCounts(t *testing.T) {
	m := newMatrixTest(t, rule(shadow, "", ""))
	m.responses(readEvents, 3, 1)
	m.comparisons(readEvents, 5, 2)
	m.set(canary(10), "", "")
	m.responses(readEvents, 1, 0)
	m.plan.Rules = []staging.Rule{rule(canary(20), "", "")}
	m.Configure(m.plan)
	m.plan.Candidate.Name = "other"
	m.Configure(m.plan)
	m.comparisons(readEvents, 0, 1)
	got := m.Snapshot().Cells[0]
	if diff := cmp.Diff(staging.Counts{Compared: 1, Different: 1}, got.Counts); diff != "" {
		t.Errorf("since the change (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(staging.Counts{Calls: 5, Failures: 1, Compared: 8, Different: 3}, got.Ever); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	if got.Share() != 20 {
		t.Errorf("the share is %d", got.Share())
	}
}

// TestConcurrentUse: a matrix that is used, read, changed and configured concurrently
// counts correctly.
func TestConcurrentUse(t *testing.T) {
	m := staging.NewMatrix(time.Now, nil)
	plan := staging.Plan{Candidate: staging.Candidate{Name: "next"}, Cells: allCells,
		Rollback: staging.Rollback{Errors: 1}}
	m.Configure(plan)
	const count = 500
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range count {
				stagingtest.Route(m, plan.Candidate, readEvents, staging.Client{Number: uint64(i)})
				m.Answered(plan.Candidate, readEvents, i%2 == 0)
				m.Answered(plan.Candidate, writeEvents, false)
				m.Compared(plan.Candidate, readEvents, i%2 == 0)
			}
		})
		group.Go(func() {
			for i := range count / 10 {
				m.Snapshot()
				if err := m.Set(staging.Selection{}, canary(1+i%99), "anna", "", false); err != nil {
					t.Error(err)
				}
				m.Configure(plan)
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(staging.Counts{Calls: 4 * count, Failures: 2 * count, Compared: 4 * count, Different: 2 * count},
		m.Snapshot().Cells[0].Ever); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
