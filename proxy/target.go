package proxy

import (
	"math"
	"net/http"
	"net/url"
	"slices"

	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

// target is a resolved request target. After a failure the target has the values that were known until then:
// the language for the error, and the row of the table for the log.
type target struct {
	routed
	choice i18n.Choice   // of the language root, and of the language of the facade's own texts
	call   *mapping.Call // nil: of no row, or refused
	query  string        // of the call, canonical, for the log
	secret bool          // a parameter of the call is a secret, see [mapping.Call.Secret]
	header http.Header   // of every response: dropped parameters, links in the legacy's namespace; nil: no such fields
	url    *url.URL      // of the request, for the log of the lane; nil unless the target is remembered
	key    string        // of the response in the cache, at the site of the facade

	description *mapping.Request // of the legacy's interface; nil: the call is of a row

	fields legacyclients.Fields // which a request in the legacy's namespace selects
}

// unresolved is the target of a request that is not resolved.
var unresolved target

// newTargets makes a cache of resolved request targets, so that a known target is neither routed nor parsed:
// that is most of the cost of a hit (BenchmarkHit). A target always resolves to the same call, so that nothing
// here becomes stale. Clients can spell a request in any number of ways, so that the memory is bounded.
func newTargets(bytes int64) *otter.Cache[string, *target] {
	return otter.Must(&otter.Options[string, *target]{
		MaximumWeight: uint64(max(bytes, 1)),
		Weigher:       func(requested string, t *target) uint32 { return t.weight(requested) },
	})
}

// DefaultTargets is the default of [Options.Targets], the part of the default memory that the configuration uses for
// targets: some 15,000 targets.
const DefaultTargets = cache.DefaultMemory / 16

// Memory of a target beside the texts, in bytes: the target with URL, call and cache entry; each parameter of the
// call; the header; and each value of a field.
const (
	targetOverhead   = 800
	argumentOverhead = 40
	headerOverhead   = 400
	valueOverhead    = 16
)

// weight estimates the memory of a target, in bytes. TestTargetsWeigh compares the estimate with the heap.
func (t *target) weight(requested string) uint32 {
	n := targetOverhead + len(requested) + len(t.key) + len(t.query) + len(t.url.Path) + len(t.call.Item)
	for _, a := range slices.Concat(t.call.Query, t.call.View) {
		n += argumentOverhead + len(a.Text)
	}
	if t.header != nil {
		n += headerOverhead
	}
	for _, values := range t.header {
		for _, value := range values {
			n += valueOverhead + len(value)
		}
	}
	return uint32(min(n, math.MaxUint32))
}

// maxTargetLen is in bytes; longer targets are rare, and are not remembered.
const maxTargetLen = 1_000

// isRead reports whether targets are remembered for a method.
func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// resource returns the resource of a routed request; "" without a row.
func (t *target) resource() string {
	for _, e := range mapping.Rows(t.Path) {
		return e.Resource
	}
	return ""
}
