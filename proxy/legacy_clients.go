package proxy

import (
	"net/http"
	"slices"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// announce adds the fields that every response in the legacy's namespace has, such as the link to the successor.
func (f *Facade) announce(t *target) {
	t.header = http.Header{}
	f.clients.Announce(t.header, f.site.backend.roots[t.Root].Public, f.successor(t))
}

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
	e := mapping.Rows(path)
	if len(e) > 0 {
		path = (&mapping.Call{Endpoint: e[0], Item: t.Item}).Path()
	}
	return f.site.backend.roots[t.choice.Index].Base() + path + rewrite.Naming(f.site.backend.roots, t.choice.Index, t.choice.Spoken)
}

// selected returns an entry with the fields that the client selects.
func (x *exchange) selected(e *cache.Entry) *cache.Entry {
	if e.Status >= http.StatusBadRequest {
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

// reportLegacy reports a request in the legacy's namespace to the metrics and to the list of clients, and returns
// the fields of its record.
func (f *Facade) reportLegacy(x *exchange) []zap.Field {
	refused := x.failure != nil && x.failure.Code == "calendar_legacy_off"
	client := telemetry.LegacyClient{
		Family:   legacyclients.Family(x.request.UserAgent()),
		Prefix:   legacyclients.Prefix(x.client()),
		Resource: x.target.resource(),
		Method:   x.request.Method,
	}
	f.options.Metrics.LegacyRequest(client, refused, x.started)
	return []zap.Field{
		zap.String("names", "legacy"),
		zap.String("client_family", client.Family),
		zap.String("client_network", client.Prefix),
	}
}

// describes makes t the target of a request for a description of the legacy's interface: the index, the
// documentation, or the response to OPTIONS. The call has the row of the index.
func (f *Facade) describes(t *target, r *http.Request) error {
	if f.site.backend.dialect.Dialect != f.clients.Names.Dialect {
		return problem.NoRoute() // the site has another interface now
	}
	request := f.clients.Description(r, t.Path)
	t.description = &request
	t.call = &mapping.Call{Endpoint: mapping.Table[0], Method: http.MethodGet, InLegacyNames: true}
	t.key = f.site.key(t)
	return nil
}
