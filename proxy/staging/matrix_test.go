package staging_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
)

// matrixTest is a matrix with a clock that the test sets, and the changes that it reported.
type matrixTest struct {
	*testing.T
	*staging.Matrix
	plan     staging.Plan
	now      time.Time
	reported []staging.Change
}

func newMatrixTest(t *testing.T, rules ...staging.Rule) *matrixTest {
	m := &matrixTest{T: t, now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	m.Matrix = staging.NewMatrix(func() time.Time { return m.now }, func(c staging.Change) { m.reported = append(m.reported, c) })
	m.plan = staging.Plan{Candidate: staging.Candidate{Name: "next"}, Cells: allCells, Rules: rules}
	m.Configure(m.plan)
	return m
}

// set changes a part of the matrix, and fails the test on an error.
func (m *matrixTest) set(setting staging.Setting, resource, language string, ops ...staging.Op) {
	m.Helper()
	if err := m.Set(rule(setting, resource, language, ops...).Selection, setting, "anna", "", true); err != nil {
		m.Fatal(err)
	}
}

func (m *matrixTest) away() map[string]string {
	settings := map[staging.Cell]staging.Setting{}
	for _, c := range m.Snapshot().Cells {
		settings[c.Cell] = c.Setting
	}
	return away(settings)
}

func (m *matrixTest) want(name string, want map[string]string) {
	m.Helper()
	if diff := cmp.Diff(want, m.away()); diff != "" {
		m.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// changes returns the changes reported since the last call, as lines.
func (m *matrixTest) changes() []string {
	var lines []string
	for _, c := range m.reported {
		if !c.When.Equal(m.now) {
			m.Errorf("%v is reported at %s", c, m.now)
		}
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s: %v %s: %s", c.Who, c.Cells, c.To, c.Why), ": "))
	}
	m.reported = nil
	return lines
}

func (m *matrixTest) wantChanges(name string, want ...string) {
	m.Helper()
	if diff := cmp.Diff(want, m.changes()); diff != "" {
		m.Errorf("%s: reported (-want +got):\n%s", name, diff)
	}
}

var (
	readEvents  = staging.Cell{Op: staging.Read, Resource: "events", Language: "en"}
	writeEvents = staging.Cell{Op: staging.Write, Resource: "events", Language: "en"}
)

func TestRoute(t *testing.T) {
	for _, test := range []struct {
		setting staging.Setting
		cell    staging.Cell
		bucket  int
		want    staging.Route
	}{
		{legacy, readEvents, 0, staging.Route{}},
		{shadow, readEvents, 0, staging.Route{}},
		{shadow, writeEvents, 0, staging.Route{}},
		{canary(10), readEvents, 9, staging.Route{Candidate: true}},
		{canary(10), readEvents, 10, staging.Route{}},
		{canary(10), writeEvents, 9, staging.Route{Candidate: true}},
		{canary(10), writeEvents, 10, staging.Route{}},
		{everything, readEvents, 99, staging.Route{Candidate: true}},
		{everything, writeEvents, 99, staging.Route{Candidate: true}},
		{fallback, readEvents, 99, staging.Route{Candidate: true, Fallback: true}},
		{fallback, writeEvents, 99, staging.Route{Candidate: true}},
		{everything, staging.Cell{Op: staging.Read, Resource: "things", Language: "en"}, 0, staging.Route{}},
	} {
		m := newMatrixTest(t, rule(test.setting, "", ""))
		if got := stagingtest.Route(m.Matrix, m.plan.Candidate, test.cell, staging.Client{Number: uint64(test.bucket)}); got != test.want {
			t.Errorf("%s %s, bucket %d: %+v, want %+v", test.cell, test.setting, test.bucket, got, test.want)
		}
		m.plan.Candidate.Name = ""
		m.Configure(m.plan)
		client := staging.Client{Number: uint64(test.bucket)}
		if got := stagingtest.Route(m.Matrix, m.plan.Candidate, test.cell, client); got != (staging.Route{}) {
			t.Errorf("%s %s without a candidate: %+v", test.cell, test.setting, got)
		}
	}
}

// TestCanaryIsMonotonic: a client in the canary stays in it when it grows.
func TestCanaryIsMonotonic(t *testing.T) {
	m := newMatrixTest(t)
	var previous []int
	for percent := 1; percent < 100; percent++ {
		m.set(canary(percent), "", "")
		var selected []int
		for bucket := range 100 {
			if stagingtest.Route(m.Matrix, m.plan.Candidate, readEvents, staging.Client{Number: uint64(bucket)}).Candidate {
				selected = append(selected, bucket)
			}
		}
		if len(selected) != percent || !slices.Equal(selected[:len(previous)], previous) {
			t.Fatalf("%d%%: %v, before %v", percent, selected, previous)
		}
		previous = selected
	}
}

// TestNoPlan: before the first plan the legacy serves all requests.
func TestNoPlan(t *testing.T) {
	m := staging.NewMatrix(time.Now, nil)
	if got := stagingtest.Route(m, staging.Candidate{}, readEvents, staging.Client{}); got != (staging.Route{}) {
		t.Errorf("got %+v", got)
	}
	m.Answered(staging.Candidate{}, readEvents, true)
	if s := m.Snapshot(); s.Candidate != "" || len(s.Cells)+len(s.History) > 0 {
		t.Errorf("got %+v", s)
	}
}

func TestConfigure(t *testing.T) {
	m := newMatrixTest(t, rule(shadow, "events", ""), rule(canary(5), "venues", "en"))
	m.wantChanges("at the start",
		"configuration: [read events en read events es] shadow",
		"configuration: [read venues en write venues en] canary 5%")

	m.Configure(m.plan)
	m.wantChanges("the same again")

	m.set(everything, "events", "en")
	m.set(legacy, "venues", "en")
	m.changes()
	m.plan.Rules = append(m.plan.Rules, rule(canary(20), "events", "es"))
	m.plan.Rollback.Errors = 10
	m.Configure(m.plan)
	m.want("manual changes stay where the plan is unchanged", map[string]string{
		"read events en": "new", "write events en": "new", "read events es": "canary 20%", "write events es": "canary 20%",
	})
	m.wantChanges("one rule more", "configuration: [read events es write events es] canary 20%")

	m.plan.Rules = []staging.Rule{rule(canary(30), "events", "en")}
	m.Configure(m.plan)
	m.want("the plan wins where it changed", map[string]string{"read events en": "canary 30%", "write events en": "canary 30%"})
	m.wantChanges("other rules", "configuration: [read events en write events en] canary 30%",
		"configuration: [read events es write events es] legacy")

	m.set(everything, "", "")
	m.changes()
	m.plan.Candidate.Name = "other"
	m.Configure(m.plan)
	m.want("another candidate drops manual changes", map[string]string{"read events en": "canary 30%", "write events en": "canary 30%"})
	m.wantChanges("another candidate", "configuration: [read events en write events en] canary 30%")

	m.plan.Candidate.Name = "third"
	m.Configure(m.plan)
	m.wantChanges("the same for another candidate", "configuration: [read events en write events en] canary 30%")

	m.plan.Cells = staging.Cells([]string{"venues", "events"}, []string{"es"})
	m.Configure(m.plan)
	m.wantChanges("one language less")
	m.plan.Cells = allCells
	m.Configure(m.plan)
	m.want("and again", map[string]string{"read events en": "canary 30%", "write events en": "canary 30%"})
	m.wantChanges("and again")

	m.plan.Candidate.Name = "next"
	m.Configure(m.plan)
	m.want("the first candidate has its manual changes", map[string]string{
		"read events en": "new", "write events en": "new", "read events es": "new", "write events es": "new",
		"read venues en": "new", "write venues en": "new", "read venues es": "new", "write venues es": "new",
	})
}

func TestSet(t *testing.T) {
	m := newMatrixTest(t)
	m.now = m.now.Add(time.Hour)
	since := m.now
	if err := m.Set(rule(fallback, "events", "en").Selection, fallback, "anna", "it is proven", false); err != nil {
		t.Fatal(err)
	}
	m.want("live", map[string]string{"read events en": "new_with_fallback", "write events en": "new"})
	m.wantChanges("live", "anna: [read events en write events en] new_with_fallback: it is proven")
	m.now = m.now.Add(time.Hour)
	got := m.Snapshot().Cells[1]
	want := staging.Status{Cell: writeEvents, Setting: everything,
		Origin: staging.Origin{Since: since, Who: "anna", Why: "it is proven"}, File: &legacy}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSetRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*staging.Plan)
		rule   staging.Rule
		cause  error  // nil: any
		want   string // "": accepted
	}{
		"bad setting": {rule: rule(canary(0), "", ""), want: "a canary takes 1 to 99 percent of the clients, not 0"},
		"no candidate": {change: func(p *staging.Plan) { p.Candidate.Name = "" }, rule: rule(everything, "", ""),
			cause: staging.ErrNoCandidate, want: "there is no candidate"},
		"nothing chosen": {rule: rule(everything, "things", ""), want: "the selection matches no cell"},
		"writes alone": {rule: rule(shadow, "", "", staging.Write),
			want: "writes alone cannot be shadow: a write is sent once, to one backend"},
		"writes and more": {rule: rule(shadow, "", "")},
		"split": {
			rule: rule(everything, "events", "", staging.Read), cause: staging.ErrSplit,
			want: "reads and writes would go to different backends: events in en: reads are new, writes are legacy; events in es: " +
				"reads are new, writes are legacy",
		},
		"split by writes": {
			rule: rule(everything, "events", "en", staging.Write), cause: staging.ErrSplit,
			want: "reads and writes would go to different backends: events in en: reads are legacy, writes are new",
		},
		"split elsewhere": {
			change: func(p *staging.Plan) { p.Rules = []staging.Rule{rule(everything, "venues", "", staging.Read)} },
			rule:   rule(canary(10), "events", ""),
		},
		"mended": {
			change: func(p *staging.Plan) { p.Rules = []staging.Rule{rule(everything, "events", "en", staging.Read)} },
			rule:   rule(everything, "events", "en", staging.Write),
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMatrixTest(t)
			if test.change != nil {
				test.change(&m.plan)
				m.Configure(m.plan)
			}
			settings := m.away()
			m.changes()
			cells, would := m.Try(test.rule.Selection, test.rule.Setting, false)
			m.wantChanges("a trial")
			err := m.Set(test.rule.Selection, test.rule.Setting, "anna", "", false)
			if test.want == "" {
				got := m.reported
				if err != nil || would != nil || len(got) != 1 || !slices.Equal(got[0].Cells, cells) {
					t.Errorf("refused: %v, %v; tried %v, reported %v", would, err, cells, got)
				}
				return
			}
			if err == nil || err.Error() != test.want || test.cause != nil && !errors.Is(err, test.cause) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			forced := errors.Is(test.cause, staging.ErrSplit)
			if would == nil || would.Error() != err.Error() || forced != (len(cells) > 0) {
				t.Errorf("tried: %v %v, want %v", cells, would, err)
			}
			m.want("after a refusal", settings)
			m.wantChanges("after a refusal")
			err = m.Set(test.rule.Selection, test.rule.Setting, "anna", "", true)
			if forced := errors.Is(test.cause, staging.ErrSplit); forced != (err == nil) {
				t.Errorf("by force: %v", err)
			}
		})
	}
}

// TestHistory: the history has the latest changes, newest first, up to a limit.
func TestHistory(t *testing.T) {
	m := newMatrixTest(t)
	for i := range 150 {
		if err := m.Set(staging.Selection{}, legacy, fmt.Sprint(i), "", false); err != nil {
			t.Fatal(err)
		}
	}
	got := m.Snapshot().History
	if len(got) != 100 || got[0].Who != "149" || got[99].Who != "50" {
		t.Errorf("%d changes, from %v", len(got), got[0])
	}
}

// TestForesee: it selects the same backend each time, unless that is random, and counts nothing,
// as a matrix shows whose calls are counted each time that one is selected.
func TestForesee(t *testing.T) {
	candidate := staging.Candidate{Name: "next"}
	elsewhere := staging.Candidate{Name: "another"}
	cell := staging.Cell{Op: staging.Read, Resource: "events", Language: "en"}
	for _, setting := range []string{"legacy", "shadow", "canary 50%", "canary 50% of requests", "new", "new_with_fallback"} {
		parsed, err := staging.ParseSetting(setting)
		if err != nil {
			t.Fatal(err)
		}
		foreseen := newMatrixTest(t, staging.Rule{Setting: parsed})
		routed := newMatrixTest(t, staging.Rule{Setting: parsed})
		for n := range uint64(100) {
			for _, client := range []staging.Client{{Number: n}, {Number: n, Credentials: true}} {
				got, certain := foreseen.Foresee(candidate, cell, client)
				if random := parsed.By == staging.Requests && !client.Credentials; certain == random {
					t.Errorf("%s: certain is %t", setting, certain)
				}
				if !certain {
					continue
				}
				want := stagingtest.Route(routed.Matrix, candidate, cell, client)
				if got != want {
					t.Errorf("%s, client %d: %+v, want %+v", setting, n, got, want)
				}
				foreseen.Count(candidate, cell, got)
			}
		}
		for range 10 {
			foreseen.Foresee(candidate, cell, staging.Client{Number: 1})
		}
		if got, certain := foreseen.Foresee(elsewhere, cell, staging.Client{}); got != (staging.Route{}) || !certain {
			t.Errorf("another candidate: %+v %t", got, certain)
		}
		foreseen.Count(elsewhere, cell, staging.Route{})
		if diff := cmp.Diff(routed.Snapshot().Cells, foreseen.Snapshot().Cells); diff != "" {
			t.Errorf("%s: counted (-routed +foreseen):\n%s", setting, diff)
		}
	}
}
