package proxy

import (
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// admitLegacy refuses a routed request in the legacy's namespace that is switched off, or that
// has what the facade cannot pass. It accepts all others.
func (f *Facade) admitLegacy(t *target, r *http.Request, in mapping.Input) error {
	if !t.OldNames {
		return nil
	}
	if f.legacyIsOff(t) {
		f.nameRead(t, r.Method, in)
		return f.legacyOff(t)
	}
	t.fields = legacyclients.ParseFields(in.Query.Get(legacyclients.FieldsParam))
	return legacyclients.Check(r, t.Endpoint, in)
}

// nameRead sets the call of a read that is refused, so that its successor has the filters of a
// list. One that is not valid has none: the successor would refuse the same.
func (f *Facade) nameRead(t *target, method string, in mapping.Input) {
	if t.Endpoint == nil || t.Endpoint.Writes() || t.Endpoint.Local() {
		return
	}
	if call, err := mapping.Parse(t.Endpoint, method, in, mapping.Drop); err == nil {
		t.call = call.Rooted(f.options.Site[t.choice.Index].Code)
		t.query = t.call.Canonical()
	}
}

// readLegacyBody brings the body of a write in the legacy's names to those of the table.
func (f *Facade) readLegacyBody(t *target, r *http.Request, in *mapping.Input) error {
	if !t.OldNames {
		return nil
	}
	in.Body = f.clients.Names().BodyFromLegacy(in.Body)
	return legacyclients.Check(r, t.Endpoint, *in)
}

// unknown returns the handling of parameters that the table does not have. The legacy ignores
// them.
func (f *Facade) unknown(t *target) mapping.Unknown {
	if t.OldNames {
		return mapping.Drop
	}
	return f.options.Unknown
}

// legacyIsOff reports whether a request in the legacy's namespace is to be refused. It counts the
// request for the share of a brownout.
func (f *Facade) legacyIsOff(t *target) bool {
	return t.OldNames && f.clients.Off(f.options.Clock(), t.resource())
}

// resource returns the resource of a routed request; "" for none.
func (t *target) resource() string {
	for _, e := range mapping.Rows(t.Path) {
		return e.Resource
	}
	return ""
}

// legacyOff is the error for a request in the legacy's namespace that is switched off. No cache
// may store it (a 410 is cacheable by default): the next request may be served.
func (f *Facade) legacyOff(t *target) error {
	successor := f.successor(t)
	return &problem.Error{
		Status: http.StatusGone, Code: "calendar_legacy_off", Args: map[string]string{"URL": successor},
		Header: http.Header{"Cache-Control": {freshness.NoStore}},
		Data:   []mapping.Member{{Name: "successor", Value: successor}},
	}
}

// announceSuccessor sets the header fields that every response in the legacy's namespace has.
func (f *Facade) announceSuccessor(x *exchange) {
	if x.OldNames {
		f.clients.Announce(x.out.Header(), f.legacy.roots[x.Root].Public, f.successor(x.target))
	}
}

// successor returns the neutral URL of what a request in the legacy's namespace is for.
func (f *Facade) successor(t *target) string {
	if t.call != nil {
		return f.legacy.rewriter.Self(t.call, t.choice.Index)
	}
	path := t.Path
	if e := mapping.Rows(path); len(e) > 0 {
		path = (&mapping.Call{Endpoint: e[0], Item: t.Item}).Path()
	}
	return f.legacy.roots[t.choice.Index].Base() + path + rewrite.Naming(f.legacy.roots, t.choice.Index, t.choice.Spoken)
}

// selected returns an entry with the fields that the client selects.
func (x *exchange) selected(e *cache.Entry) *cache.Entry {
	if x.fields.All() || e.Status >= http.StatusBadRequest {
		return e
	}
	body := x.fields.Of(e.Body)
	some := &cache.Entry{Status: e.Status, Body: body, ETag: etag(body), Fields: slices.Clone(e.Fields), Life: e.Life, Aged: e.Aged}
	for i := range some.Fields {
		if some.Fields[i].Name == "Etag" {
			some.Fields[i].Values = []string{some.ETag}
		}
	}
	return some
}

// countLegacy reports a request in the legacy's namespace: to the metrics, and to the list of
// clients.
func (f *Facade) countLegacy(x *exchange) {
	refused := x.failure != nil && x.failure.Code == "calendar_legacy_off"
	f.options.Metrics.LegacyRequest(telemetry.LegacyClient{
		Family: legacyclients.Family(x.in.UserAgent()), Prefix: legacyclients.Prefix(x.client()), Resource: x.resource(), Method: x.in.Method,
	}, refused, x.started)
}
