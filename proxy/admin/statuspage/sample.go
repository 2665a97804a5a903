package statuspage

import (
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
	"math"
	"slices"
	"time"
)

// point is one series of a metric: its value, or of a histogram the count.
type point struct {
	label map[string]string
	value float64
	count float64

	bounds []float64 // of a histogram's buckets, in its unit
	below  []float64 // as many were at most that
}

// readings are the metrics at one time, by name.
type readings map[string][]point

// one gives the value of a metric without labels; 0 if there is none.
func (r readings) one(name string) float64 {
	if len(r[name]) == 0 {
		return 0
	}
	return r[name][0].value
}

// readSample returns what a scrape would, as far as it could be read.
func readSample(m *telemetry.Metrics) readings {
	families, _ := m.Gatherer().Gather()
	r := readings{}
	for _, f := range families {
		for _, s := range f.GetMetric() {
			p := point{label: map[string]string{}}
			for _, l := range s.GetLabel() {
				p.label[l.GetName()] = l.GetValue()
			}
			switch h := s.GetHistogram(); {
			case h != nil:
				p.count = float64(h.GetSampleCount())
				for _, b := range h.GetBucket() {
					p.bounds, p.below = append(p.bounds, b.GetUpperBound()), append(p.below, float64(b.GetCumulativeCount()))
				}
			case s.GetCounter() != nil:
				p.value = s.GetCounter().GetValue()
			default:
				p.value = s.GetGauge().GetValue()
			}
			r[f.GetName()] = append(r[f.GetName()], p)
		}
	}
	return r
}

// tally counts since start: how much there was, and how much of it failed.
type tally struct{ total, failed float64 }

// sample is a snapshot of the metrics.
type sample struct {
	at        time.Time
	requests  tally
	languages map[string]tally   // requests, by language of the root
	endpoints map[string]tally   // requests, by name
	roots     map[string]tally   // calls to the legacy, by root
	took      latency            // requests
	tookBy    map[string]latency // requests, by endpoint
	rootTook  map[string]latency // calls to the legacy, by root
	redisTook latency
	hits      float64 // responses from the cache
	lookups   float64 // hits, and what was fetched
	memory    float64 // bytes, of the process
}

// served are the outcomes of requests served from the cache, fetched those of other
// cacheable requests.
var (
	served  = []string{telemetry.Hit.String(), telemetry.Stale.String(), telemetry.StaleIfError.String()}
	fetched = []string{telemetry.Miss.String(), telemetry.Expired.String(), telemetry.Renewed.String()}
)

func newSample(at time.Time, r readings) sample {
	s := sample{at: at, languages: map[string]tally{}, endpoints: map[string]tally{}, roots: map[string]tally{}}
	s.count(r["calfacade_requests_total"])
	s.took, s.tookBy = latencies(r["calfacade_request_duration_seconds"], "endpoint")
	_, s.rootTook = latencies(r["calfacade_upstream_duration_seconds"], "root")
	for _, p := range r["calfacade_upstream_calls_total"] {
		if reason := upstream.FailureKind(p.label["error"]); reason != upstream.NotOpened && reason != upstream.NotQueued {
			bad := p.label["status"] == "5xx" || reason != "none" && reason != upstream.Canceled
			add(s.roots, p.label["root"], outcomeTally(p.value, bad))
		}
	}
	for _, p := range r["calfacade_redis_duration_seconds"] {
		if p.label["call"] != "wait" { // for the fetch of another instance
			s.redisTook.add(p)
		}
	}
	s.memory = r.one("process_resident_memory_bytes")
	return s
}

func (s *sample) count(requests []point) {
	for _, p := range requests {
		t := outcomeTally(p.value, p.label["status"] == "5xx")
		s.requests.add(t)
		add(s.languages, p.label["language"], t)
		add(s.endpoints, p.label["endpoint"], t)
		byCache := slices.Contains(served, p.label["cache"])
		if byCache {
			s.hits += p.value
		}
		if byCache || slices.Contains(fetched, p.label["cache"]) {
			s.lookups += p.value
		}
	}
}

func outcomeTally(n float64, bad bool) tally {
	if bad {
		return tally{total: n, failed: n}
	}
	return tally{total: n}
}

func add(all map[string]tally, name string, t tally) {
	sum := all[name]
	sum.add(t)
	all[name] = sum
}

func (t *tally) add(o tally) {
	t.total += o.total
	t.failed += o.failed
}

// since is what was counted after o.
func (t tally) since(o tally) tally {
	return tally{t.total - o.total, t.failed - o.failed}
}

// history are samples, oldest first.
type history []sample

// steps gives a value for each step from a sample to the next; NaN stands for none.
func (h history) steps(of func(before, after sample) float64) []float64 {
	var values []float64
	for i := 1; i < len(h); i++ {
		v := of(h[i-1], h[i])
		if math.IsInf(v, 0) {
			v = math.NaN()
		}
		values = append(values, v)
	}
	return values
}

// rate returns events per second, at each step.
func (h history) rate(of func(sample) float64) []float64 {
	return h.steps(func(a, b sample) float64 { return (of(b) - of(a)) / b.at.Sub(a.at).Seconds() })
}

// lately gives what was counted within d before the end, or as far back as
// there are samples.
func (h history) lately(d time.Duration, of func(sample) tally) tally {
	if len(h) == 0 {
		return tally{}
	}
	last := h[len(h)-1]
	first := slices.IndexFunc(h, func(s sample) bool { return last.at.Sub(s.at) <= d })
	return of(last).since(of(h[first]))
}
