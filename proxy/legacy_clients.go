package proxy

import (
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// legacyIsOff reports whether a request in the legacy's namespace is to be refused, and counts the request for
// the share of a brownout.
func (f *Facade) legacyIsOff(t *target) bool {
	return f.clients.IsOff(f.options.Clock(), t.resource())
}

// successor returns the neutral URL of the resource that a request in the legacy's namespace is for.
func (f *Facade) successor(t *target) string {
	if t.call != nil && t.description == nil {
		return f.site.backend.rewriter.Self(t.call, t.choice.Index)
	}
	path := t.Path
	if e := mapping.Rows(path); len(e) > 0 {
		path = (&mapping.Call{Endpoint: e[0], Item: t.Item}).Path()
	}
	return f.site.backend.roots[t.choice.Index].Base() + path + rewrite.Naming(f.site.backend.roots, t.choice.Index, t.choice.Spoken)
}

// selected returns an entry with the fields that the client selects.
func (x *exchange) selected(e *cache.Entry) *cache.Entry {
	if len(x.target.fields) == 0 || e.Status >= http.StatusBadRequest {
		return e
	}
	body := x.target.fields.Of(e.Body)
	selection := &cache.Entry{Status: e.Status, Body: body, ETag: etag(body), Fields: slices.Clone(e.Fields), Life: e.Life, Aged: e.Aged}
	for i := range selection.Fields {
		if selection.Fields[i].Name == "Etag" {
			selection.Fields[i].Values = []string{selection.ETag}
		}
	}
	return selection
}

// countLegacy reports a request in the legacy's namespace: to the metrics, and to the list of
// clients.
func (f *Facade) countLegacy(x *exchange) {
	refused := x.failure != nil && x.failure.Code == "calendar_legacy_off"
	f.options.Metrics.LegacyRequest(telemetry.LegacyClient{
		Family: legacyclients.Family(x.request.UserAgent()), Prefix: legacyclients.Prefix(x.client()), Resource: x.target.resource(),
		Method: x.request.Method,
	}, refused, x.started)
}

// describes makes t the target of a request for a description of the legacy's interface: the index, the
// documentation, or the response to OPTIONS. The call has the row of the index.
func (f *Facade) describes(t *target, r *http.Request) error {
	if f.site.backend.dialect.Dialect != f.clients.Names.Dialect {
		return problem.NoRoute() // the site has another interface now
	}
	request := f.clients.Description(r, t.Path)
	t.description = &request
	t.call = &mapping.Call{Endpoint: mapping.Table[0], Method: http.MethodGet, OldNames: true}
	t.key = f.site.key(t)
	return nil
}
