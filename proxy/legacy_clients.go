package proxy

import (
	"net/http"

	"github.com/cespare/xxhash/v2"

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
	if !t.Legacy {
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
	if !t.Legacy {
		return nil
	}
	in.Body = f.clients.Names().BodyFromLegacy(in.Body)
	return legacyclients.Check(r, t.Endpoint, *in)
}

// unknown returns the handling of parameters that the table does not have. The legacy ignores
// them.
func (f *Facade) unknown(t *target) mapping.Unknown {
	if t.Legacy {
		return mapping.Drop
	}
	return f.options.Unknown
}

// legacyIsOff reports whether a request in the legacy's namespace is to be refused. It counts the
// request for the share of a brownout.
func (f *Facade) legacyIsOff(t *target) bool {
	return t.Legacy && f.clients.Off(f.options.Clock(), t.resource())
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
	if x.clients != nil {
		x.clients.Announce(x.out.Header(), f.legacy.roots[x.Root].Public, f.successor(x.target))
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

// inLegacyForm replaces a response that a backend has just given by its legacy form.
func (f *Facade) inLegacyForm(x *exchange, got *response) {
	form, err := rewrite.LegacyForm(got.body.Body, got.body.Delta)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	location := got.header["Location"]
	got.header = legacyclients.Header(got.header)
	if location != nil && x.backend == f.legacy { // of the site, and out of the namespace; see [rewrite.Rewriter.Headers]
		got.header["Location"] = got.reply.Header["Location"]
	}
	got.tag = legacyTag(etag(got.body.Body), got.body.Delta, x.selects())
	if got.reply.Status < http.StatusBadRequest {
		form = x.fields.Of(form)
	}
	got.body = rewrite.Result{Body: form}
}

// selects returns what the client selects of a response, "" for all.
func (x *exchange) selects() string {
	if x.fields.All() {
		return ""
	}
	return x.in.URL.RawQuery
}

// legacyTag returns the validator of a legacy form of which selects is selected.
func legacyTag(neutral string, delta []byte, selects string) string {
	h := xxhash.New()
	_, _ = h.Write(delta)
	_, _ = h.WriteString(selects)
	return legacyclients.Tag(neutral, h.Sum64())
}

// legacyEntry returns the legacy form of an entry. Compressing it takes twice the time of making
// it (BenchmarkLegacyHit): only the compressed body is stored, beside the entry.
func (f *Facade) legacyEntry(x *exchange, e *cache.Entry) (*cache.Entry, error) {
	form := &cache.Entry{Status: e.Status, ETag: legacyTag(e.ETag, e.Delta, x.selects()), Life: e.Life, Aged: e.Aged}
	h := http.Header{}
	for _, field := range e.Fields {
		h[field.Name] = field.Values
	}
	for name, values := range legacyclients.Header(h) {
		if name == "Etag" {
			values = []string{form.ETag}
		}
		form.Fields = append(form.Fields, cache.Field{Name: name, Values: values})
	}
	compressed := f.options.Cache != nil && e.Status == http.StatusOK && x.fields.All() && acceptsGzip(x.in.Header["Accept-Encoding"])
	if before := f.templatesOf(e); compressed && before.legacyGzip != nil {
		form.Gzip = before.legacyGzip
		return form, nil
	}
	var err error
	if form.Body, err = rewrite.LegacyForm(e.Body, e.Delta); err != nil {
		return nil, err
	}
	if e.Status < http.StatusBadRequest {
		form.Body = x.fields.Of(form.Body)
	}
	if compressed {
		form.Gzip = Compress(form.Body)
		f.keepLegacyGzip(x.key, e, form.Gzip)
	}
	return form, nil
}

// keepLegacyGzip stores the compressed legacy form of an entry with its templates; nil is none.
func (f *Facade) keepLegacyGzip(key string, e *cache.Entry, compressed []byte) {
	if compressed == nil {
		return
	}
	all := f.templatesOf(e)
	all.legacyGzip = compressed
	f.options.Cache.Prepare(key, e, &all, all.size())
}

// countLegacy reports a request in the legacy's namespace: to the metrics, and to the list of
// clients.
func (f *Facade) countLegacy(x *exchange) {
	refused := x.failure != nil && x.failure.Code == "calendar_legacy_off"
	f.options.Metrics.LegacyRequest(telemetry.LegacyClient{
		Family: legacyclients.Family(x.in.UserAgent()), Prefix: legacyclients.Prefix(x.client()), Resource: x.resource(), Method: x.in.Method,
	}, refused, x.started)
}
