package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/problem"
)

// Explanation describes what the facade would do with a request.
type Explanation struct {
	Endpoint  string   `json:"endpoint"`
	Language  string   `json:"language"`  // of the root that responds
	Canonical string   `json:"canonical"` // parameters, normalized
	Dropped   []string `json:"dropped"`   // names in the query that the table does not have
	Method    string   `json:"method"`    // of the call
	Upstream  string   `json:"upstream"`  // URL of the call, secrets masked; "" for a local response
	Body      string   `json:"body"`      // of the call, secrets masked
	Key       string   `json:"key"`       // in the cache; "" for a call that is never cached
	Before    string   `json:"before"`    // URL of the read that an update needs first; "" without such a read
}

// Refusal is the response to a request that is not forwarded.
type Refusal struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"` // in the language of the request
}

func (r *Refusal) Error() string { return string(r.Body) }

// Explain returns the call that r would become, without sending anything. The error is a *Refusal.
func (f *Facade) Explain(r *http.Request) (Explanation, error) {
	t, err := f.resolve(r, func() (mapping.Node, error) { return mapping.Node{}, nil })
	if err != nil {
		refused := problem.Of(err)
		_, body := f.envelope(&t, refused, i18n.Catalog(t.choice.Spoken))
		return Explanation{}, &Refusal{Status: refused.Status, Body: body}
	}
	e := Explanation{Language: f.options.Site[t.choice.Index].Code, Canonical: t.query, Dropped: []string{}, Method: r.Method}
	if t.Endpoint != nil {
		e.Endpoint = t.Endpoint.Name()
		_, input, _ := f.locate(r)
		e.Dropped = append(e.Dropped, t.Endpoint.Dropped(input)...)
	}
	switch {
	case t.Docs:
		e.Endpoint = "docs"
	case t.Start:
		e.Endpoint = "start"
	case t.description != nil:
		e.Endpoint = cmp.Or(e.Endpoint, "options")
		e.Method = t.description.Method
		e.Key = t.key
		e.Upstream = siteurl.Join(f.site.backend.roots[t.choice.Index].Upstream, t.description.Target())
	case t.Endpoint == nil:
		e.Endpoint = "options"
	case !t.Endpoint.Local():
		if !t.Endpoint.Writes() && !t.secret {
			e.Key = t.key
		}
		e.Before, e.Upstream, e.Body = f.site.backend.preview(t.call, t.choice)
	}
	return e, nil
}

// preview returns the URL of the first read on the way to a call, "" without a read, and URL and body of the
// call, or of the first part of a call that is made in parts. Secrets are masked.
func (b *backend) preview(call *mapping.Call, choice i18n.Choice) (lookup, url, body string) {
	root := b.roots[choice.Index].Upstream
	c := backendCall{call: call.Masked(), choice: choice}
	first, request := b.client(c, mapping.Environment{}).Preview(b.rewriter.FromPages(c.call, choice.Index))
	if first.Path != "" {
		lookup = siteurl.Join(root, first.Target())
	}
	return lookup, siteurl.Join(root, request.Target()), string(request.Body)
}

// Probe probes the REST roots of the backends; see [probe.Run].
func (f *Facade) Probe(ctx context.Context) []probe.Finding {
	o := probe.Options{
		Site: f.options.Site, Pages: f.options.Pages, Freshness: f.options.Freshness, Clock: f.options.Clock,
		LegacyAt: func(roots map[string]string) probe.Backend {
			legacy := f.options.Legacy
			legacy.Upstreams = roots
			return newBackend(legacy, f.options).probed()
		},
	}
	for _, b := range f.backends {
		o.Backends = append(o.Backends, b.probed())
	}
	return probe.Run(ctx, o)
}

// probed returns the backend for package probe.
func (b *backend) probed() probe.Backend {
	return probe.Backend{Name: b.name, Dialect: b.dialect, Roots: b.roots, Rewriter: b.rewriter, Caller: b.upstream}
}
