package admin

import (
	"net/http"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// view has all that the templates show: fields of the page, a sample of now, and values that are read once for them.
type view struct {
	*Admin
	sample
	Here, Done  string   // path of the page; the action before, or ""
	Problems    []Health // the worst first; or one line that all is well
	Charts      []chart
	Roots       []root
	Sources     *telemetry.Sources
	Redis       Health                // zero: this instance caches in memory alone
	Instances   []redisstore.Instance // on the same Redis; nil while it is down
	Targets     []onward.Status       // of purges
	Records     []record              // errors and warnings of the log, the latest first
	Purges      []purge               // likewise
	LegacyUses  []telemetry.LegacyUse // clients of the legacy names, the latest first
	EarlierUses uint64                // clients that are not in LegacyUses
	Staging     any                   // see [Migration.Tab]; nil on the overview
}

// shownLegacyClients limits the clients of the legacy names on the page.
const shownLegacyClients = 50

func (a *Admin) showStatus(w http.ResponseWriter, r *http.Request) {
	show(w, http.StatusOK, "page.html", a.view(r, "./"))
}

// view reads all sources once.
func (a *Admin) view(r *http.Request, tab string) *view {
	a.decisions.Refresh(r.Context()) // also an instance without requests shows the latest decisions
	s := a.Page
	now := a.Page.sample()
	v := &view{Admin: a, sample: now, Here: tab, Done: r.URL.Query().Get("done"), Sources: s.Metrics.Watched()}
	stats := v.Sources.Upstreams()
	refusedWrites := uint64(0)
	v.Roots = a.roots(stats)
	for _, u := range stats {
		refusedWrites += u.RefusedWrites
	}
	if v.Sources.Redis != nil {
		v.Redis = redisHealth(v.Sources.Redis.Up(), v.Sources.Cache.Stats().Pending)
		v.Instances, _ = s.instances(r.Context(), now.Version)
	}
	for _, c := range a.Onward.Couriers() {
		v.Targets = append(v.Targets, c.Status())
	}
	v.LegacyUses, v.EarlierUses = s.Metrics.LegacyUses(shownLegacyClients)
	s.mu.Lock()
	h := s.samples
	rejected := s.rejected
	v.Records = slices.Clone(s.records)
	v.Purges = slices.Clone(s.purges)
	s.mu.Unlock()
	v.Charts = h.charts(now, s.Every)
	lastMinute := errorHealth(h.since(now.Now.Add(-time.Minute), now), now)
	var moving []Health
	if a.Migration != nil {
		moving = a.Migration.Health()
	}
	v.Problems = problems(siteHealth(v.Roots, refusedWrites, now.Now),
		[]Health{lastMinute, rejected, certificateHealth(now.Certificate, now.Now), v.Redis, a.writesHealth()},
		moving, targetsHealth(v.Targets))
	return v
}

// moment is a time in the forms that the page shows.
type moment struct{ ISO, Clock, Ago string }

// At returns a time in the form of the page.
func (v *view) At(t time.Time) moment {
	return moment{
		ISO:   t.UTC().Format(time.RFC3339),
		Clock: clock(t, v.Now),
		Ago:   humanize.RelTime(t, v.Now, "ago", "from now"),
	}
}
