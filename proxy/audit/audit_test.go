package audit

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

func allOf(from string) cache.Purge { return cache.Purge{All: true, From: from} }

func itemOf(tag, from string) cache.Purge { return cache.Purge{Tags: []string{tag}, From: from} }

// TestCauses: all combinations of evidence have exactly one cause, and the stronger evidence counts.
func TestCauses(t *testing.T) {
	for _, test := range []struct {
		of   evidence
		want Cause
	}{
		{evidence{}, WithinTTL},
		{evidence{purges: true}, PurgeMissing},
		{evidence{purges: true, late: true}, PurgeLate},
		{evidence{late: true}, PurgeLate},
		{evidence{named: true, late: true}, WrongTag},
		{evidence{named: true, written: true, late: true}, Write},
		{evidence{lost: true, named: true, written: true, late: true, purges: true}, AnotherInstance},
	} {
		if got := test.of.cause(); got != test.want {
			t.Errorf("%+v: %s, want %s", test.of, got, test.want)
		}
	}
	for _, c := range Causes {
		if c.Hint() == "" {
			t.Errorf("%s has no hint", c)
		}
	}
}

// TestWilson compares with values of the literature (Newcombe 1998) and of R's prop.test without correction.
func TestWilson(t *testing.T) {
	for _, test := range []struct {
		stale, audited uint64
		low, high      float64
	}{
		{0, 0, 0, 1},
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
		{29, 29, 0.8830, 1},
	} {
		got := EstimateOf(test.stale, test.audited)
		if math.Abs(got.Low/1e6-test.low) > 1e-4 || math.Abs(got.High/1e6-test.high) > 1e-4 {
			t.Errorf("%d of %d: %+v", test.stale, test.audited, got)
		}
	}
}

func TestLastDay(t *testing.T) {
	var h hours
	now := time.Date(2026, 11, 23, 12, 30, 0, 0, time.UTC)
	for i := range 48 {
		h.add(now.Add(time.Duration(i)*time.Hour), 100, 1)
	}
	now = now.Add(47 * time.Hour)
	if e := h.estimate(now); e.Audited != 2400 || e.Stale != 24 || e.PerMillion != 10_000 {
		t.Errorf("%+v", e)
	}
	if e := h.estimate(now.Add(12 * time.Hour)); e.Audited != 1200 {
		t.Errorf("half a day later: %+v", e)
	}
}

// TestMemoryIsBounded: the tags of writes and the findings that are stored.
func TestMemoryIsBounded(t *testing.T) {
	l, now := new(Ledger), time.Now()
	for i := range 3 * maxWritten {
		l.Purged(cache.Applied{Purge: cache.Purge{Tags: []string{"events:" + strconv.Itoa(i)}}, Time: now, Write: true})
		l.add(&Finding{Call: strconv.Itoa(i)})
	}
	if n, m := len(l.purges.written), len(l.purges.order); n != maxWritten || m != maxWritten {
		t.Errorf("%d and %d tags", n, m)
	}
	if s := l.Stats(now); len(s.Findings) != maxRecent || s.Findings[0].Call != strconv.Itoa(3*maxWritten-1) {
		t.Errorf("%d findings", len(s.Findings))
	}
	last, first := "events:"+strconv.Itoa(3*maxWritten-1), "events:0"
	if !l.wrote([]string{last}, now.Add(-1)) || l.wrote([]string{first}, time.Time{}) || l.wrote([]string{last}, now) {
		t.Error("want the last tags")
	}
}

// TestPurgesOfTheSite: those of writes and operators are none.
func TestPurgesOfTheSite(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		made cache.Applied
		want bool
	}{
		{cache.Applied{Local: true, Purge: cache.Purge{From: cache.FromHTTP}}, true},
		{cache.Applied{}, true}, // by HTTP, at another instance
		{cache.Applied{Local: true, Purge: cache.Purge{From: "page"}}, false},
		{cache.Applied{Local: true, Purge: cache.Purge{From: cache.FromWrite}, Write: true}, false},
		{cache.Applied{Write: true}, false},
	} {
		l := new(Ledger)
		test.made.Time = now
		l.Purged(test.made)
		if got := l.sentPurges(now.Add(-time.Hour)); got != test.want {
			t.Errorf("%+v: %t", test.made, got)
		}
	}
}

// TestMidnight: a response that depends on the day is not audited near midnight.
func TestMidnight(t *testing.T) {
	call, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	a := &Auditor{options: Options{Zone: func(string) *time.Location { return time.UTC }, Clock: func() time.Time { return now }}}
	near := func(fetched, at string) bool {
		f, _ := time.Parse(time.TimeOnly, fetched)
		n, _ := time.Parse(time.TimeOnly, at)
		now = n
		return a.nearMidnight(call, "en", &cache.Entry{Created: f})
	}
	for _, test := range []struct {
		fetched, now string
		want         bool
	}{
		{"12:00:00", "12:10:00", false}, {"23:40:00", "23:54:00", false}, {"23:40:00", "23:56:00", true}, {"00:04:00", "12:00:00", true}, {"00:06:00", "12:00:00", false},
	} {
		if got := near(test.fetched, test.now); got != test.want {
			t.Errorf("fetched at %s, audited at %s: %t", test.fetched, test.now, got)
		}
	}
	a.options.Zone = func(string) *time.Location { return nil }
	if !near("12:00:00", "12:14:00") {
		t.Error("the zone is unknown: any quarter of an hour may be midnight")
	}
}

// TestConcerned names the tags of what differs.
func TestConcerned(t *testing.T) {
	spaces := mapping.NewTagSpaces(2, func(i int) []string { return []string{[]string{"en", "es"}[i]} })
	call, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	s := Sample{Call: call, Language: "es", Tags: spaces[1]}
	tags := concerned(s, []compare.Difference{{Cause: compare.Cause{Resource: "events"}}})
	if len(tags) != 1 || tags[0] != "es:events" {
		t.Errorf("of the list: %q", tags)
	}
	tags = concerned(s, []compare.Difference{{Cause: compare.Cause{Resource: "venues", ID: "5"}}, {Cause: compare.Cause{Resource: "events"}}})
	if len(tags) != 2 || tags[0] != "es:venues:5" || tags[1] != "es:venues:any" {
		t.Errorf("of an item: %q", tags)
	}
}

func TestOff(t *testing.T) {
	a := New(Options{Ledger: new(Ledger), Cache: cache.New(cache.Options{})})
	if a != nil || a.Wants() {
		t.Error("audits without a rate")
	}
	a.Close()
}

// BenchmarkWants is what auditing costs an answer that is not a sample.
func BenchmarkWants(b *testing.B) {
	a := &Auditor{}
	for b.Loop() {
		if a.Wants() {
			b.Fatal("wanted")
		}
	}
}
