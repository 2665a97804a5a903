package statuspage

import (
	"slices"
	"time"

	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

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
