package statuspage

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

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

// StateOptions configure a [State].
type StateOptions struct {
	Metrics *telemetry.Metrics // the source of the samples

	Every time.Duration    // interval of samples; 0 is 15 s. The page is updated three times as often
	Clock func() time.Time // nil is time.Now
}

// State holds the samples of the metrics for the charts, and the sessions. Like the metrics
// it belongs to the process: it outlives configurations.
type State struct {
	metrics *telemetry.Metrics
	every   time.Duration
	clock   func() time.Time
	began   time.Time

	sessions sessions

	records records

	mu       sync.Mutex
	samples  []sample // oldest first
	rejected health   // a configuration; zero for none
}

// NewState returns a state without samples.
func NewState(o StateOptions) *State {
	s := &State{metrics: o.Metrics, every: cmp.Or(o.Every, 15*time.Second), clock: o.Clock}
	if s.clock == nil {
		s.clock = time.Now
	}
	s.began = s.clock()
	return s
}

// Run takes a sample now and after each interval, until end is closed.
func (s *State) Run(end <-chan struct{}) {
	ticker := time.NewTicker(s.every)
	defer ticker.Stop()
	for {
		s.Sample()
		select {
		case <-end:
			return
		case <-ticker.C:
		}
	}
}

// Sample takes a sample.
func (s *State) Sample() {
	taken := newSample(s.clock(), scrape(s.metrics))
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.samples) == maxSamples {
		s.samples = slices.Delete(s.samples, 0, 1)
	}
	s.samples = append(s.samples, taken)
}

// maxReason limits the text of a rejected configuration on the page, in bytes.
const maxReason = 2000

// Reloaded records the outcome of a reload, which the page shows until the next one. The
// text of an error must hold no secret; nil is a success.
func (s *State) Reloaded(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejected = health{}
	if err != nil {
		s.rejected = health{"warn", "Configuration rejected", s.clock().UTC().Format("on 2 Jan at 15:04 UTC") +
			", the previous one is in use: " + shortened(err.Error(), maxReason)}
	}
}

// read returns the samples so far, which do not change, and the outcome of the last reload.
func (s *State) read() (history, health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.samples), s.rejected
}

// Log returns a log whose errors and warnings the page shows too.
func (s *State) Log(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		return zapcore.NewTee(c, recordsCore{LevelEnabler: zapcore.WarnLevel, to: &s.records})
	}))
}

// sample are totals of the metrics since the start of the process.
type sample struct {
	at               time.Time
	requests, failed float64 // failed: status 5xx
	refused          float64 // writes that failed
	lookups, hits    float64 // reads of the cache, and those that it served
	seconds          float64 // sum of the durations of all requests
}

var (
	served  = []string{telemetry.Hit.String(), telemetry.Stale.String(), telemetry.StaleIfError.String()}
	fetched = []string{telemetry.Miss.String(), telemetry.Expired.String(), telemetry.Renewed.String()}
)

func newSample(at time.Time, m metrics) sample {
	s := sample{at: at}
	for _, r := range m["calfacade_requests_total"] {
		s.requests += r.value
		if r.Label["status"] == "5xx" {
			s.failed += r.value
			if r.Label["method"] == "write" {
				s.refused += r.value
			}
		}
		if slices.Contains(served, r.Label["cache"]) {
			s.hits += r.value
			s.lookups += r.value
		}
		if slices.Contains(fetched, r.Label["cache"]) {
			s.lookups += r.value
		}
	}
	for _, r := range m["calfacade_request_duration_seconds"] {
		s.seconds += r.value
	}
	return s
}

// history are samples at equal intervals, the oldest first.
type history []sample

// maxSamples bounds a history to an hour of samples at the default interval.
const maxSamples = 241

// since returns the first sample at or after a time; last if there is none.
func (h history) since(t time.Time, last sample) sample {
	if i := slices.IndexFunc(h, func(s sample) bool { return !s.at.Before(t) }); i >= 0 {
		return h[i]
	}
	return last
}

// chart shows a value over time as bars, one for each interval of a history.
type chart struct {
	Name, Value, Note string
	Label             string // for readers who do not see it
	Bars              string // path in a box of maxSamples-1 by chartHeight
	Axis              [3]string
}

const chartHeight = 40

// charts returns the charts of the page. last is the present sample.
func (h history) charts(last sample, every time.Duration) []chart {
	return []chart{
		h.chart("Requests", last, every, 1, "%.1f/s",
			func(a, b sample) float64 { return (b.requests - a.requests) / b.at.Sub(a.at).Seconds() }),
		h.chart("Served from the cache", last, every, 100, "%.0f %%",
			func(a, b sample) float64 { return 100 * (b.hits - a.hits) / (b.lookups - a.lookups) }),
		h.chart("Time to answer", last, every, 1, "%.1f ms",
			func(a, b sample) float64 { return 1000 * (b.seconds - a.seconds) / (b.requests - a.requests) }),
	}
}

// chart draws the value of each interval, which of returns; NaN is a gap. The box reaches from 0 to
// the largest value, or to least.
func (h history) chart(name string, last sample, every time.Duration, least float64, format string,
	of func(from, to sample) float64) chart {
	text := func(v float64) string {
		if math.IsNaN(v) {
			return "–"
		}
		return fmt.Sprintf(format, v)
	}
	span, top := (maxSamples-1)*every, least
	var values []float64
	for i := 1; i < len(h); i++ {
		values = append(values, of(h[i-1], h[i]))
		if v := values[i-1]; !math.IsNaN(v) {
			top = max(top, v)
		}
	}
	var bars strings.Builder
	for i, v := range values {
		if v > 0 {
			fmt.Fprintf(&bars, "M%d.5 %dV%.1f", maxSamples-1-len(values)+i, chartHeight, chartHeight*(1-v/top))
		}
	}
	c := chart{
		Name: name, Bars: bars.String(), Value: text(of(h.since(last.at.Add(-time.Minute), last), last)),
		Note: text(of(h.since(last.at.Add(-span), last), last)) + " in the last hour",
		Axis: [3]string{last.at.Add(-span).UTC().Format("15:04"), "highest " + text(top), last.at.UTC().Format("15:04")},
	}
	c.Label = fmt.Sprintf("%s in the last hour: %s at last, %s at most", name, c.Value, text(top))
	return c
}
