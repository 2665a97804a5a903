package statuspage

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

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
	Redis     *redisStatus // nil: memory alone
	Records   []recordStatus
	Purges    []purgeStatus // the last
	Earlier   []purgeStatus // those before
	Memory    figure
	Facts     []fact
	Config    string
	Here      string         // the page's path
	Staging   *stagingStatus // of the tab; nil: there is no candidate
}

type fact struct{ Name, Value string }

type endpointStatus struct {
	Name, Lately, All, Failed string
	P50, P95, P99             string // of the last minutes
	Share                     int    // percent of the busiest endpoint
}

type purgeStatus struct {
	When moment
	From string
	What string
	Soft bool
}

// shownPurges is how many purges the page shows; the others are a click away.
const shownPurges = 5

// moment is a time in the forms that the page shows.
type moment struct{ ISO, Clock, Ago string }

func momentOf(t, now time.Time) moment {
	t = t.UTC()
	layout := "15:04:05 UTC"
	if now.Sub(t).Abs() > 20*time.Hour {
		layout = "2 Jan 2006 15:04:05 UTC"
	}
	return moment{ISO: t.Format(time.RFC3339), Clock: t.Format(layout), Ago: humanize.RelTime(t, now, "ago", "from now")}
}

func (p *page) showStatus(w http.ResponseWriter, r *http.Request, v viewer) {
	o := p.overview(v)
	o.Notice = doneTexts[r.URL.Query().Get("done")]
	show(w, http.StatusOK, "page.html", o)
}

func (p *page) overview(v viewer) overview {
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
	o.Roots = rootStatuses(p.options.Site, watched, h)
	o.Endpoints = endpointStatuses(h, last)
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
	o.Health = healthOf(o, s.lastRejected(), p.admin.Matrix(), h, now)
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

// latest is the last value; NaN if there is none.
func latest(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return values[len(values)-1]
}

func inBytes(v float64) string { return humanize.IBytes(uint64(v)) }

func count64(v float64) string { return humanize.Comma(int64(v)) }

// endpointStatuses returns the busiest endpoints of the last minutes, then of all time.
func endpointStatuses(h history, last sample) []endpointStatus {
	type row struct {
		name   string
		lately float64
		all    tally
	}
	var rows []row
	most := 1.0
	for name, all := range last.endpoints {
		lately := h.lately(time.Hour, func(s sample) tally { return s.endpoints[name] }).total
		if all.total > 0 {
			rows, most = append(rows, row{name, lately, all}), max(most, lately)
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.lately, a.lately), cmp.Compare(b.all.total, a.all.total), strings.Compare(a.name, b.name))
	})
	var list []endpointStatus
	for _, r := range rows[:min(len(rows), 10)] {
		name := r.name
		if name == telemetry.NoEndpoint {
			name = "none (documentation, OPTIONS, unknown paths)"
		}
		took := h.lastLatency(func(s sample) latency { return s.tookBy[r.name] })
		list = append(list, endpointStatus{
			Name: name, Lately: count64(r.lately), All: count64(r.all.total), Failed: count64(r.all.failed),
			P50: inMilliseconds(took.quantile(0.5)), P95: inMilliseconds(took.quantile(0.95)), P99: inMilliseconds(took.quantile(0.99)),
			Share: int(100 * r.lately / most),
		})
	}
	return list
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

// codesOf returns for each language the code of the first language with the same REST root,
// which is the name of the root.
func codesOf(site i18n.Site) []string {
	var codes []string
	for _, l := range site {
		first := slices.IndexFunc(site, func(o i18n.Language) bool { return o.Upstream == l.Upstream })
		codes = append(codes, site[first].Code)
	}
	return codes
}
