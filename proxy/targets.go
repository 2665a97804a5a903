package proxy

import (
	"math"
	"net/http"
	"strings"

	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// targets remembers what request targets were found to mean, so that a target
// that comes again is neither routed nor parsed: most of what a hit costs in
// this program (BenchmarkHit). What a target means depends on nothing but the
// target, so nothing here ever goes stale. Anybody can spell one request in any
// number of ways, so it is bounded by the bytes that it takes.
type targets struct {
	known *otter.Cache[string, *target]
	bytes uint64 // that they may take
}

// maxTargetLen is in bytes; longer ones are rare, and would take room from others.
const maxTargetLen = 1_000

// defaultTargets are the bytes that targets may take if nothing else is said: some
// 15,000 of them.
const defaultTargets = 16 << 20

func newTargets(bytes int64) *targets {
	t := &targets{bytes: uint64(max(bytes, 1))}
	t.known = otter.Must(&otter.Options[string, *target]{
		MaximumWeight: t.bytes,
		Weigher:       func(requested string, t *target) uint32 { return t.weight(requested) },
	})
	return t
}

func (t *targets) get(r *http.Request) (*target, bool) {
	if !isRead(r.Method) {
		return nil, false
	}
	return t.known.GetIfPresent(r.RequestURI)
}

// learn remembers the target of a read that parsed well, unless it holds a secret.
func (t *targets) learn(r *http.Request, found target) {
	secret := found.call.Secret() || strings.Contains(r.RequestURI, mapping.NonceParam)
	if !isRead(r.Method) || len(r.RequestURI) > maxTargetLen || secret {
		return
	}
	found.query = found.key[len(found.key)-len(found.query):] // the same text, once; see [mapping.Call.Key]
	found.url = r.URL
	t.known.Set(r.RequestURI, &found)
}

// isRead reports whether a method is one that what is remembered holds for.
func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// What a target takes beside its texts, in bytes: itself, URL, call and an entry among
// the others; and each parameter of the call.
const (
	targetOverhead   = 750
	argumentOverhead = 40
)

// weight is about what a target takes, in bytes: TestTargetsWeigh compares it with what
// the collector finds.
func (t *target) weight(requested string) uint32 {
	n := targetOverhead + len(requested) + len(t.key) + len(t.url.Path) + len(t.call.Item)
	for _, a := range t.call.Query {
		n += argumentOverhead + len(a.Text)
	}
	return uint32(min(n, math.MaxUint32))
}

// Targets returns the state of what is remembered of request targets.
func (f *Facade) Targets() telemetry.TargetStats {
	f.targets.known.CleanUp() // what came last may not be counted yet
	return telemetry.TargetStats{
		Bytes: f.targets.known.WeightedSize(), Limit: f.targets.bytes, Entries: f.targets.known.EstimatedSize(),
	}
}
