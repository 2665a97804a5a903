package proxy_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/audit"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/staging"
)

// audited makes the facade audit as fast as it can.
func audited(t *testing.T, o *proxy.Options) *audit.Ledger {
	t.Helper()
	comparer, err := compare.Rules{}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	o.Freshness.TTL = map[string]time.Duration{"events": 24 * time.Hour}
	o.Audit = audit.Options{Interval: time.Microsecond, Grace: time.Second, Late: 30 * time.Second, Comparer: comparer, Ledger: new(audit.Ledger)}
	return o.Audit.Ledger
}

// until sends a request until the results of the audits suffice.
func (f *cachedFacade) until(line string, l *audit.Ledger, enough func(audit.Stats) bool) audit.Stats {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		f.send(line)
		if s := l.Stats(time.Now()); enough(s) {
			return s
		}
	}
	f.t.Fatalf("%+v", l.Stats(time.Now()))
	return audit.Stats{}
}

// TestAuditFindsAStaleAnswer: an event changes without a purge, and its title shows nowhere.
func TestAuditFindsAStaleAnswer(t *testing.T) {
	t.Parallel()
	var ledger *audit.Ledger
	f := newCachedFacade(t, func(o *proxy.Options) { ledger = audited(t, o) })
	f.answers(entitled("old"))
	f.until("GET /events/5", ledger, func(s audit.Stats) bool { return s.Audited >= 5 })
	f.answers(entitled("secret"))
	f.until("GET /events/5", ledger, func(s audit.Stats) bool {
		f.now.Add(int64(200 * time.Millisecond))
		return s.Causes[audit.WithinTTL] > 0
	})
	s := ledger.Stats(time.Now())
	if got := s.Findings[0]; got.Call != "/events/5" || got.Endpoint != "events.read" || strings.Join(got.Tags, " ") != "events:5 events:any" || strings.Join(got.Paths, " ") != "title: value" {
		t.Errorf("%+v", got)
	}
}

// TestAuditTakesNoCredentials: requests with credentials are never audited, and what audits send has none.
func TestAuditTakesNoCredentials(t *testing.T) {
	t.Parallel()
	var ledger *audit.Ledger
	f := newCachedFacade(t, func(o *proxy.Options) { ledger = audited(t, o) })
	for range 30 {
		f.want("GET /events/5", "200 fwd=bypass calls 1", "Authorization: Basic YTpi")
	}
	if s := ledger.Stats(time.Now()); s.Audited > 0 || len(s.Findings) > 0 || s.Skipped[audit.Changed] > 0 {
		t.Errorf("%+v", s)
	}
	var leaked atomic.Int32
	f.answers(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			leaked.Add(1)
		}
		entitled("old")(w, r)
	})
	for end := time.Now().Add(time.Minute); ledger.Stats(time.Now()).Audited < 5 && time.Now().Before(end); {
		f.send("GET /events/5", "Cookie: cart=1")
	}
	if s := ledger.Stats(time.Now()); leaked.Load() > 0 || s.Audited < 5 {
		t.Errorf("%d calls with credentials: %+v", leaked.Load(), s)
	}
}

// TestAuditAsksTheBackendThatServes: during a migration.
func TestAuditAsksTheBackendThatServes(t *testing.T) {
	t.Parallel()
	var ledger *audit.Ledger
	f := newStagedFacade(t, all(staging.New), staging.Rollback{}, func(o *proxy.Options) {
		unwatched(o)
		ledger = audited(t, o)
	})
	f.until("GET /events/5", ledger, func(s audit.Stats) bool { return s.Audited >= 5 })
	if f.calls.Load() > 0 || f.there.calls.Load() < 6 {
		t.Errorf("%d calls of the legacy, %d of the candidate", f.calls.Load(), f.there.calls.Load())
	}
	f.there.says(entitled("newer"))
	f.until("GET /events/5", ledger, func(s audit.Stats) bool {
		f.now.Add(int64(20 * time.Millisecond))
		return len(s.Findings) > 0
	})
	if got := ledger.Stats(time.Now()).Findings[0]; got.Backend != "new" || f.calls.Load() > 0 {
		t.Errorf("%+v, %d calls of the legacy", got, f.calls.Load())
	}
}

// TestAuditOfLegacyClients: their answers are made from the entry, which is compared in neutral names.
func TestAuditOfLegacyClients(t *testing.T) {
	t.Parallel()
	var ledger *audit.Ledger
	f := newCachedFacade(t, func(o *proxy.Options) {
		ledger = audited(t, o)
		o.LegacyClients = &legacyclients.Options{Names: mapping.Backend{Dialect: mapping.Tribe, LanguageParam: "wpml_language"}}
	})
	f.answers(entitled("old"))
	for end := time.Now().Add(time.Minute); ledger.Stats(time.Now()).Audited < 5 && time.Now().Before(end); {
		r := request(t, http.MethodGet, f.url+"/wp-json/tribe/events/v1/events/5", "")
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
	}
	if s := ledger.Stats(time.Now()); s.Audited < 5 || len(s.Findings) > 0 {
		t.Errorf("%+v", s)
	}
}
