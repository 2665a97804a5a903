package statuspage

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Switch refuses writes or accepts them again. The facade implements it.
type Switch interface {
	ReadOnly() bool
	SetReadOnly(on bool)
}

// page is the status page of an admin interface.
type page struct {
	admin   *admin.Admin
	options admin.Options
	state   *State
	control Switch // nil: none
	config  string
	zone    func(language string) *time.Location // see Options
}

// viewer is a client that may see the page.
type viewer struct {
	Form string // token of the session's forms; "" without a session, which allows no changes
}

// overview is the data of the templates.
type overview struct {
	viewer
	Now       moment
	Began     moment
	Every     int // milliseconds between two updates
	Version   string
	Notice    string // "" for none
	CanPurge  bool
	Writes    string   // "", "accepted" or "refused"
	Health    []health // the problems, the worst first; or one that all is well
	Figures   []figure
	Roots     []rootStatus
	Endpoints []endpointStatus
	Legacy    *legacyClients // nil: no client spoke the legacy's names
	Redis     *redisStatus   // nil: memory alone
	Onward    *onwardReport  // nil: purges are passed on to nobody
	Records   []recordStatus
	Purges    []purgeStatus // the last
	Earlier   []purgeStatus // those before
	Memory    figure
	Facts     []fact
	Config    string
	Here      string         // the page's path
	Staging   *stagingStatus // of the tab; nil on the other
}

func (p *page) showStatus(w http.ResponseWriter, r *http.Request, v viewer) {
	o := p.overview(r.Context(), v)
	o.Notice = doneTexts[r.URL.Query().Get("done")]
	show(w, http.StatusOK, "page.html", o)
}

func (p *page) showStaging(w http.ResponseWriter, r *http.Request, v viewer) {
	o := p.overview(r.Context(), v)
	o.Here, o.Notice = "staging", doneTexts[r.URL.Query().Get("done")]
	s := p.admin.Matrix()
	s.History, _ = p.options.Fleet.Log(r.Context())
	o.Staging = newStagingStatus(s, p.admin.Decisions(), p.options.Findings, p.state.clock())
	show(w, http.StatusOK, "staging.html", o)
}

func (p *page) overview(ctx context.Context, v viewer) overview {
	p.options.Fleet.Count(ctx, true) // also an instance without requests shows the latest decisions
	s := p.state
	h, now, r := s.history(), s.clock(), readSample(s.metrics)
	last := newSample(now, r)
	o := overview{
		viewer: v, Now: momentOf(now, now), Began: momentOf(s.began, now), Every: int(s.every.Milliseconds()),
		CanPurge: p.options.Cache != nil, Config: p.config, Here: "./",
	}
	if info := r["calfacade_build_info"]; len(info) > 0 {
		o.Version = info[0].label["version"]
	}
	if p.control != nil {
		o.Writes = map[bool]string{false: "accepted", true: "refused"}[p.control.ReadOnly()]
	}
	watched := s.metrics.Watched()
	if watched == nil {
		watched = &telemetry.Sources{}
	}
	o.Figures = figures(h, last, r)
	o.Roots = rootStatuses(p.options.Site, watched, h, p.zone)
	o.Endpoints = endpointStatuses(h, last)
	o.Legacy = legacyClientsOf(s.metrics, now)
	used := h.steps(func(_, s sample) float64 { return s.memory })
	o.Memory = figure{"Process", inBytes(last.memory), "", h.chart("Memory of the process", used, 1<<20, inBytes)}
	o.Records = recordStatuses(s.records.newest(), now)
	o.Facts = memoryFacts(r, watched.Cache != nil)
	if watched.Redis != nil {
		o.Redis = redisStatusOf(watched, h, r, now)
	}
	if watched.Cache != nil {
		all := purgeStatuses(watched.Cache.Recent(), s.began, now)
		o.Purges = all[:min(len(all), shownPurges)]
		o.Earlier = all[len(o.Purges):]
	}
	o.Onward = onwardReportOf(ctx, p.options.Onward, now)
	o.Health = healthOf(o, s.lastRejected(), p.admin.Matrix(), p.admin.Decisions(), h, now, certificateHealth(r.one("calfacade_tls_certificate_not_after_timestamp_seconds"), now))
	return o
}

// figures returns the numbers at the top.
func figures(h history, last sample, r readings) []figure {
	rate := h.rate(func(s sample) float64 { return s.requests.total })
	failed := h.rate(func(s sample) float64 { return s.requests.failed })
	ratio := h.steps(func(a, b sample) float64 { return 100 * (b.hits - a.hits) / (b.lookups - a.lookups) })
	return []figure{
		{"Requests", perSecond(latest(rate)), count64(last.requests.total) + " since start, " + count64(r.one("calfacade_requests_in_flight")) + " in flight",
			h.chart("Requests per second", rate, 1, perSecond)},
		{"Server errors", perSecond(latest(failed)), "5xx since start: " + count64(last.requests.failed),
			h.chart("Responses with 5xx per second", failed, 1, perSecond)},
		h.latencyFigure("Response time", "95th percentile of the response time", func(s sample) latency { return s.took }),
		{"Hit ratio", inPercent(latest(ratio)), inPercent(100*last.hits/last.lookups) + " since start, of " + count64(last.lookups),
			h.chart("Hit ratio", ratio, 100, inPercent)},
	}
}

// healthOf returns a line for each problem, the worst first. Without a problem all is well.
func healthOf(o overview, rejected rejected, matrix staging.Snapshot, d admin.Decisions, h history, now time.Time, others ...health) []health {
	all := append(others, errorHealth(h.lately(time.Minute, func(s sample) tally { return s.requests })), rejectedHealth(rejected, now))
	for _, root := range o.Roots {
		all = append(all, health{root.Health.Class, "Site, " + root.Code + ": " + root.Health.Word, root.Health.Detail})
	}
	if o.Redis != nil {
		all = append(all, health{o.Redis.Health.Class, "Redis: " + o.Redis.Health.Word, o.Redis.Health.Detail})
	}
	all = append(append(all, stagingHealth(matrix)...), decisionsHealth(d, matrix))
	all = append(all, onwardHealth(o.Onward)...)
	if o.Writes == "refused" {
		all = append(all, health{"warn", "Writes are refused", ""})
	}
	all = slices.DeleteFunc(all, func(l health) bool { return !slices.Contains(ranks, l.Class) })
	slices.SortStableFunc(all, func(a, b health) int {
		return cmp.Compare(slices.Index(ranks, a.Class), slices.Index(ranks, b.Class))
	})
	if len(all) == 0 {
		return []health{{"good", "All well", ""}}
	}
	return all
}

func memoryFacts(r readings, cached bool) []fact {
	bytes := func(name string) string { return inBytes(r.one(name)) }
	facts := []fact{
		{"Heap in use", bytes("go_memstats_heap_inuse_bytes")},
		{"Goroutines", count64(r.one("go_goroutines"))},
	}
	if cached {
		facts = append(facts,
			fact{"Cache takes", bytes("calfacade_cache_bytes")},
			fact{"Parsed URLs", bytes("calfacade_targets_bytes")},
			fact{"Cached responses", count64(r.one("calfacade_cache_entries"))},
			fact{"Evictions", count64(r.one("calfacade_cache_evictions_total"))},
		)
	}
	return facts
}
