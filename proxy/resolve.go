package proxy

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
)

// resolve routes and parses a request. It calls body, which reads the body of a write, once
// the row is known.
func (f *Facade) resolve(r *http.Request, body func() (mapping.Node, error)) (t target, err error) {
	if len(r.URL.RawQuery)+len(r.URL.EscapedPath()) > f.options.MaxURL {
		return *f.unrouted(r), problem.TooLong(http.StatusRequestURITooLong, "rest_uri_too_long", int64(f.options.MaxURL))
	}
	t, in, err := f.locate(r)
	if err != nil {
		return t, err
	}
	unknown := f.options.Unknown
	if t.OldNames {
		if err := f.admitLegacy(&t, r, in); err != nil {
			return t, err
		}
		unknown = mapping.Drop // as the legacy does
	}
	switch {
	case t.OldNames && (t.Endpoint == nil || t.Endpoint.Local()):
		err = f.describes(&t, r)
		return t, err
	case t.Endpoint == nil: // OPTIONS, the documentation page or the start page
		return t, nil
	}
	if t.Endpoint.Writes() {
		if in.Body, err = body(); err != nil {
			return t, err
		}
		if t.OldNames {
			in.Body = f.clients.Names.FromLegacy(in.Body)
			if err := legacyclients.Check(r, t.Endpoint, in); err != nil {
				return t, err
			}
		}
		t.choice = f.options.Site.Choose(t.Root, in.Language())
	}
	err = f.parse(&t, r.Method, in, unknown)
	return t, err
}

// parse sets the call of a target that has a row, and the values derived from the call.
func (f *Facade) parse(t *target, method string, in mapping.Input, unknown mapping.Unknown) error {
	call, err := mapping.Parse(t.Endpoint, method, in, unknown)
	if err != nil {
		return err
	}
	if unknown == mapping.Report {
		t.dropped = droppedField(t.Endpoint.Dropped(in))
	}
	code := f.options.Site[t.choice.Index].Code
	t.call = call.Rooted(code)
	t.legacyKey = f.legacy.shape + ":" + t.call.Key(code)
	t.query = t.legacyKey[strings.LastIndexByte(t.legacyKey, ':')+1:] // escaped: it has no colon
	return nil
}

// locate routes a request, and finds the language of its response, also if it returns an error. The query has no
// nonce, which is a credential; see [edge.Identity].
func (f *Facade) locate(r *http.Request) (t target, in mapping.Input, err error) {
	query, badQuery := mapping.DecodeForm(r.URL.RawQuery)
	if f.options.Cookies {
		query = query.Without(mapping.NonceParam)
	}
	t.routed, err = f.router.match(r)
	if t.Start && query.Has(legacyclients.RouteParam) {
		err = problem.NoRoute() // what it names is no page
	}
	if t.OldNames {
		query = f.clients.Names.FromLegacy(query)
	}
	in = mapping.Input{Item: t.Item, Query: query, OldNames: t.OldNames}
	t.choice = f.options.Site.Choose(t.Root, in.Language())
	return t, in, cmp.Or(err, badQuery)
}

// unrouted returns the target of a request that is refused before it is routed. All that is
// known of it is the language of the refusal.
func (f *Facade) unrouted(r *http.Request) *target {
	t, _, _ := f.locate(r)
	t.routed = routed{Root: t.Root, OldNames: t.OldNames}
	return &t
}

// maxTargetLen is in bytes; longer targets are rare and are not remembered.
const maxTargetLen = 1_000

// defaultTargets is the default of Options.Targets: some 15,000 targets.
const defaultTargets = 16 << 20

// newTargets makes a cache of resolved request targets, so that a known target is neither routed
// nor parsed: that is most of the cost of a hit (BenchmarkHit). A target always resolves to the
// same, so that nothing here becomes stale. Clients can spell a request in any number of
// ways, so that its memory is bounded.
func newTargets(bytes int64) *otter.Cache[string, *target] {
	return otter.Must(&otter.Options[string, *target]{
		MaximumWeight: uint64(max(bytes, 1)),
		Weigher:       func(requested string, t *target) uint32 { return t.weight(requested) },
	})
}

// learn remembers the target of a read, unless it has a secret.
func (f *Facade) learn(r *http.Request, found target) {
	secret := found.call.Secret() || strings.Contains(r.RequestURI, mapping.NonceParam)
	if !isRead(r.Method) || len(r.RequestURI) > maxTargetLen || secret || len(found.fields) > 0 {
		return
	}
	found.url = r.URL
	f.targets.Set(r.RequestURI, &found)
}

// isRead reports whether targets are remembered for a method.
func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// Memory of a target beside its texts, in bytes: the target, its URL and call and its entry
// among the others; and each parameter of the call.
const (
	targetOverhead   = 800
	argumentOverhead = 40
)

// weight estimates the memory of a target, in bytes. TestTargetsWeigh compares it with the
// heap.
func (t *target) weight(requested string) uint32 {
	n := targetOverhead + len(requested) + len(t.legacyKey) + len(t.dropped) + len(t.url.Path) + len(t.call.Item)
	for _, a := range t.call.Query {
		n += argumentOverhead + len(a.Text)
	}
	return uint32(min(n, math.MaxUint32))
}

// target is a resolved request target. If resolving fails it holds what was known until then:
// the language for the error, and the row of the table for the log.
type target struct {
	routed
	choice    i18n.Choice   // of the language root, and of the language of the facade's own texts
	call      *mapping.Call // nil: of no row, or refused
	query     string        // of the call, canonical, for the log
	dropped   string        // the parameters that the table does not have, for the response; "" for none
	url       *url.URL      // of the request, for the log of the lane; nil unless it is remembered
	legacyKey string        // of the call in the cache, at the legacy; ends with query

	description *mapping.Request // of the legacy's interface; nil: the call is of a row

	fields legacyclients.Fields // which a request in the legacy's namespace selects
}

// maxDropped is the number of dropped parameters that a response names.
const maxDropped = 10

// droppedField returns the value of [mapping.HeaderDropped]; "" for none. Names are as in a query: clients
// choose them.
func droppedField(names []string) string {
	var escaped []string
	for _, name := range names[:min(len(names), maxDropped)] {
		escaped = append(escaped, url.QueryEscape(name))
	}
	return strings.Join(escaped, ", ")
}

// unresolved is the target of a request that is not resolved.
var unresolved target
