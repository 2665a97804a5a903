package statuspage

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// view has everything that the templates show.
type view struct {
	SignedIn         bool   // the page has buttons
	Here, Done       string // path of the page; the action before, "" for none
	Every            int64  // milliseconds between two updates
	Version          string
	Now, Began       time.Time
	Certificate      time.Time // its end; zero without one
	InFlight, Memory float64
	Config           string
	Problems         []health // the worst first; or one line that all is well
	Charts           []chart
	Roots            []root
	Sources          *telemetry.Sources
	Instances        []redisstore.Instance // on the same Redis
	Redis            *health               // nil: this instance caches in memory alone
	Targets          []onward.Status       // of purges
	Records          []record              // errors and warnings of the log, the latest first
	Purged           []cache.Purged        // the latest first
	Old              []telemetry.LegacyUse // clients of the old names, the latest first
	OlderOnes        uint64                // clients that are not in Old
	Kinds            []string              // of items that can be purged; nil: nothing can
	Writes           string                // accepted or refused
	Staging          *stagingView          // nil on the overview
}

// shownOldClients limits the clients of the old names on the page.
const shownOldClients = 50

func (p *page) showStatus(w http.ResponseWriter, r *http.Request) {
	show(w, http.StatusOK, "page.html", p.view(r, "./"))
}

func (p *page) showStaging(w http.ResponseWriter, r *http.Request) {
	all := p.view(r, "staging")
	all.Staging = newStagingView(p.admin.StagingReport(r.Context()))
	show(w, http.StatusOK, "staging.html", all)
}

// view reads all sources once.
func (p *page) view(r *http.Request, here string) *view {
	p.options.Fleet.Count(r.Context(), true) // also an instance without requests shows the latest decisions
	s, last := p.State, p.State.sample()
	v := &view{
		SignedIn: p.options.Token != "", Writes: "accepted", Sources: cmp.Or(s.metrics.Watched(), &telemetry.Sources{}), Here: here, Every: s.every.Milliseconds() / 3,
		Version: last.version, Now: last.at, Began: s.began, InFlight: last.inFlight, Memory: last.memory, Config: p.Config,
	}
	if done := r.URL.Query().Get("done"); slices.Contains(outcomes, done) {
		v.Done = done
	}
	if last.certificate > 0 {
		v.Certificate = time.Unix(int64(last.certificate), 0)
	}
	if p.options.Cache != nil {
		v.Kinds = admin.Kinds()
	}
	if p.Switch.ReadOnly() {
		v.Writes = "refused"
	}
	if v.Sources.Upstreams != nil {
		v.Roots = p.roots(v.Sources.Upstreams())
	}
	if v.Sources.Cache != nil {
		v.Purged = v.Sources.Cache.Recent()
	}
	if v.Sources.Redis != nil {
		state := redisHealth(v.Sources.Redis.Up(), v.Sources.Cache.Stats().Pending)
		v.Redis = &state
		v.Instances, _ = s.instances(r.Context(), last.version) // while Redis is down there is no list
	}
	for _, c := range p.options.Onward.Couriers() {
		v.Targets = append(v.Targets, c.Status())
	}
	v.Old, v.OlderOnes = s.metrics.LegacyUses(shownOldClients)
	p.judge(v, last)
	return v
}

// judge adds the charts, the records and the problems.
func (p *page) judge(v *view, last sample) {
	s := p.State
	s.mu.Lock()
	h, rejected := s.samples, s.rejected
	v.Records = slices.Clone(s.records)
	s.mu.Unlock()
	v.Charts = h.charts(last, s.every)
	one := []health{errorHealth(h.since(last.at.Add(-time.Minute), last), last), rejected, certificateHealth(v.Certificate, last.at)}
	if v.Redis != nil {
		one = append(one, *v.Redis)
	}
	matrix := p.options.Staging.Snapshot()
	if matrix.Candidate != "" && !p.options.Fleet.Status().Known {
		one = append(one, health{bad, "Writes are refused", "Redis does not answer: this instance does not know what all have decided"})
	}
	if v.Writes == "refused" {
		one = append(one, health{warn, "Writes are refused", ""})
	}
	v.Problems = problems(siteHealth(v.Roots, v.Sources.Cache != nil, h, last), one, stagingHealth(matrix), targetsHealth(v.Targets))
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
