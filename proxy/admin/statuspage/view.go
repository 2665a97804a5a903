package statuspage

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// view has everything that the templates show.
type view struct {
	viewer
	*telemetry.Sources        // Cache and Redis
	Here, Done         string // path of the page; the action before, "" for none
	Every              int64  // milliseconds between two updates
	Now, Began         time.Time
	Certificate        time.Time // its end; zero without one
	Metrics            metrics
	Config             string
	Problems           []health // the worst first; or one line that all is well
	Charts             []chart
	Roots              []root
	RedisState         health
	Targets            []onward.Status       // of purges
	Old                []telemetry.LegacyUse // clients of the old names, the latest first
	OlderOnes          uint64                // clients that are not in Old
	Records            []record              // of the log, the latest first
	Kinds              []string              // of items that can be purged; nil: nothing can
	Writes             string                // "", "accepted" or "refused"
	Staging            *stagingView          // nil on the overview
}

type fact struct{ Name, Value string }

// Limits of the lists of the page.
const (
	shownTags       = 5 // of a purge
	shownOldClients = 50
)

func (p *page) showStatus(w http.ResponseWriter, r *http.Request, v viewer) {
	show(w, http.StatusOK, "page.html", p.view(r, v, "./"))
}

func (p *page) showStaging(w http.ResponseWriter, r *http.Request, v viewer) {
	all, s := p.view(r, v, "staging"), p.admin.Matrix()
	s.History, _ = p.options.Fleet.Log(r.Context())
	all.Staging = newStagingView(s, p.admin.Decisions(), p.options.Findings)
	show(w, http.StatusOK, "staging.html", all)
}

// view reads all sources once.
func (p *page) view(r *http.Request, by viewer, here string) *view {
	p.options.Fleet.Count(r.Context(), true) // also an instance without requests shows the latest decisions
	s, now := p.State, p.State.clock()
	v := &view{
		viewer: by, Sources: cmp.Or(s.metrics.Watched(), &telemetry.Sources{}), Here: here, Every: s.every.Milliseconds() / 3,
		Now: now, Began: s.began, Metrics: scrape(s.metrics), Config: p.Config, Records: s.records.newest(),
	}
	if done := r.URL.Query().Get("done"); slices.Contains(outcomes, done) {
		v.Done = done
	}
	if at := v.Metrics.One("calfacade_tls_certificate_not_after_timestamp_seconds"); at > 0 {
		v.Certificate = time.Unix(int64(at), 0)
	}
	if p.options.Cache != nil {
		v.Kinds = admin.Kinds()
	}
	if p.Switch != nil {
		v.Writes = "accepted"
		if p.Switch.ReadOnly() {
			v.Writes = "refused"
		}
	}
	if v.Upstreams != nil {
		v.Roots = p.roots(v.Upstreams())
	}
	if v.Redis != nil {
		v.RedisState = redisHealth(v.Redis.Up(), v.Cache.Stats().Pending)
	}
	v.Old, v.OlderOnes = s.metrics.LegacyUses(shownOldClients)
	for _, c := range p.options.Onward.Couriers() {
		v.Targets = append(v.Targets, c.Status())
	}
	h, rejected := s.read()
	last := newSample(now, v.Metrics)
	v.Charts = h.charts(last, s.every)
	matrix := p.admin.Matrix()
	v.Problems = problems(
		siteHealth(v.Roots, v.Cache != nil, h, last), errorHealth(h.since(now.Add(-time.Minute), last), last),
		[]health{v.RedisState, rejected, certificateHealth(v.Certificate, now)},
		writesHealth(v.Writes, p.admin.Decisions(), matrix), stagingHealth(matrix), targetsHealth(v.Targets),
	)
	return v
}

// moment is a time in the forms that the page shows.
type moment struct{ ISO, Clock, Ago string }

// At returns a time as the page shows it.
func (v *view) At(t time.Time) moment {
	return moment{t.UTC().Format(time.RFC3339), clock(t, v.Now), humanize.RelTime(t, v.Now, "ago", "from now")}
}

// clock returns the time of day in UTC, with the date if that is another day.
func clock(t, now time.Time) string {
	if t, now = t.UTC(), now.UTC(); t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return t.Format("2 Jan 15:04 UTC")
	}
	return t.Format("15:04 UTC")
}

// Origin describes where a purge came from.
func (v *view) Origin(p cache.Purged) string {
	switch {
	case !p.Local && p.Time.Before(v.Began):
		return "before this instance started"
	case !p.Local:
		return "another instance"
	}
	return cmp.Or(map[string]string{"write": "a write", "http": "HTTP", "page": "this page"}[p.From], "this instance")
}

// Purged returns the last purges, the latest first.
func (v *view) Purged() []cache.Purged {
	if v.Cache == nil {
		return nil
	}
	return v.Cache.Recent()
}
