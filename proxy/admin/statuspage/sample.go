package statuspage

import (
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
	"math"
	"slices"
	"time"
)

// point is one series of a metric: its value, or of a histogram the sum and the
// count.
type point struct {
	label map[string]string
	value float64
	count float64
}

// readings are the metrics at a moment, by name.
type readings map[string][]point

// one gives the value of a metric without labels; 0 if there is none.
func (r readings) one(name string) float64 {
	if len(r[name]) == 0 {
		return 0
	}
	return r[name][0].value
}

// read gives what a scrape would, as far as it could be read.
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
				p.value, p.count = h.GetSampleSum(), float64(h.GetSampleCount())
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

// tally counts since the start: how much there was, how much of it failed, and
// how long what was timed took.
type tally struct{ total, failed, seconds, timed float64 }

// sample is what the metrics said at a moment.
type sample struct {
	at        time.Time
	requests  tally
	languages map[string]tally // requests, by language of the root
	endpoints map[string]tally // requests, by name
	roots     map[string]tally // calls to the legacy, by root
	redis     tally
	given     float64 // by the cache, of
	asked     float64 // what it may answer
	memory    float64 // bytes, of the process
}

// given are the outcomes of a request that the cache answered, and fetched those
// that it could not answer.
var (
	given   = []string{telemetry.Hit.String(), telemetry.Stale.String(), telemetry.StaleIfError.String()}
	fetched = []string{telemetry.Miss.String(), telemetry.Expired.String(), telemetry.Renewed.String()}
)

func newSample(at time.Time, r readings) sample {
	s := sample{at: at, languages: map[string]tally{}, endpoints: map[string]tally{}, roots: map[string]tally{}}
	s.count(r["calfacade_requests_total"])
	for _, p := range r["calfacade_request_duration_seconds"] {
		took := tally{seconds: p.value, timed: p.count}
		s.requests.add(took)
		add(s.endpoints, p.label["endpoint"], took)
	}
	for _, p := range r["calfacade_upstream_calls_total"] {
		if reason := upstream.FailureKind(p.label["error"]); reason != upstream.NotOpened && reason != upstream.NotQueued {
			bad := p.label["status"] == "5xx" || reason != "none" && reason != upstream.Canceled
			add(s.roots, p.label["root"], outcomeTally(p.value, bad))
		}
	}
	for _, p := range r["calfacade_upstream_duration_seconds"] {
		add(s.roots, p.label["root"], tally{seconds: p.value, timed: p.count})
	}
	for _, p := range r["calfacade_redis_duration_seconds"] {
		if p.label["call"] != "wait" { // which is for another copy's fetch
			s.redis.add(tally{total: p.count, seconds: p.value, timed: p.count})
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
		byCache := slices.Contains(given, p.label["cache"])
		if byCache {
			s.given += p.value
		}
		if byCache || slices.Contains(fetched, p.label["cache"]) {
			s.asked += p.value
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
	t.seconds += o.seconds
	t.timed += o.timed
}

// since is what was counted after o.
func (t tally) since(o tally) tally {
	return tally{t.total - o.total, t.failed - o.failed, t.seconds - o.seconds, t.timed - o.timed}
}

// milliseconds is the mean time; NaN if nothing was timed.
func (t tally) milliseconds() float64 { return 1000 * t.seconds / t.timed }

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

// rate gives how often per second something came, at each step.
func (h history) rate(of func(sample) float64) []float64 {
	return h.steps(func(a, b sample) float64 { return (of(b) - of(a)) / b.at.Sub(a.at).Seconds() })
}

// took gives the mean milliseconds of something, at each step.
func (h history) took(of func(sample) tally) []float64 {
	return h.steps(func(a, b sample) float64 { return of(b).since(of(a)).milliseconds() })
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
