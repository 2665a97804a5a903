package proxy

import (
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// targets remembers what request targets were found to mean, so that a target
// that comes again is neither routed nor parsed: most of what a hit costs in
// this program (BenchmarkHit). What a target means depends on nothing but the
// target, so nothing here ever goes stale. Anybody can spell one request in any
// number of ways, so it is bounded by the bytes that it takes.
type targets struct {
	known *otter.Cache[string, *meaning]
	bytes uint64 // that they may take
}

// meaning is the outcome of routing and parsing a read.
type meaning struct {
	call   *mapping.Call // of a GET
	key    string
	name   string
	query  string // the end of key
	choice i18n.Choice
	url    *url.URL // for the log
}

// maxTargetLen is in bytes; longer ones are rare, and would take room from others.
const maxTargetLen = 1_000

// defaultTargets are the bytes that targets may take if nothing else is said: some
// 15,000 of them.
const defaultTargets = 16 << 20

func newTargets(bytes int64) *targets {
	t := &targets{bytes: uint64(max(bytes, 1))}
	t.known = otter.Must(&otter.Options[string, *meaning]{
		MaximumWeight: t.bytes,
		Weigher:       func(target string, m *meaning) uint32 { return m.weight(target) },
	})
	return t
}

func (t *targets) get(r *http.Request) (*meaning, bool) {
	if !isRead(r.Method) {
		return nil, false
	}
	return t.known.GetIfPresent(r.RequestURI)
}

// learn remembers the target of a read that parsed well, with its key, unless it
// holds a secret.
func (t *targets) learn(x *exchange, key string) {
	r := x.in
	secret := x.call.Secret() || strings.Contains(r.RequestURI, nonceParam)
	if !isRead(r.Method) || len(r.RequestURI) > maxTargetLen || secret {
		return
	}
	query := key[len(key)-len(x.query):] // see [mapping.Call.Key]
	t.known.Set(r.RequestURI, &meaning{call: x.call, key: key, name: x.name, query: query, choice: x.choice, url: r.URL})
}

// isRead reports whether a method is one that what is remembered holds for.
func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func (m *meaning) apply(x *exchange) {
	x.call, x.key, x.name, x.query, x.choice = m.call, m.key, m.name, m.query, m.choice
	x.endpoint, x.voice = m.call.Endpoint, i18n.Voice(m.choice.Spoken)
}

// What a target takes beside its texts, in bytes: meaning, URL, call and a place among
// the others; and each parameter of the call.
const (
	targetOverhead   = 750
	argumentOverhead = 40
)

// weight is about what a target takes, in bytes: TestTargetsWeigh compares it with what
// the collector finds.
func (m *meaning) weight(target string) uint32 {
	n := targetOverhead + len(target) + len(m.key) + len(m.url.Path) + len(m.call.Item)
	for _, a := range m.call.Query {
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
