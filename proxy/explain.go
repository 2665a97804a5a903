package proxy

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
)

// Explanation tells what the facade would do with a request.
type Explanation struct {
	Endpoint  string `json:"endpoint"`
	Language  string `json:"language"`  // whose root answers
	Canonical string `json:"canonical"` // parameters, normalized
	Method    string `json:"method"`    // of the call
	Upstream  string `json:"upstream"`  // URL of the call, secrets masked; "" where the table answers
	Body      string `json:"body"`      // of the call, secrets masked
	Key       string `json:"key"`       // in the cache; "" for what is never cached
	Before    string `json:"before"`    // URL of the read that an update needs first; "" for none
}

// Refusal is the answer that a request would get in place of being forwarded.
type Refusal struct {
	Status int
	Body   []byte // in the language of the request
}

func (r *Refusal) Error() string { return string(r.Body) }

// Explain tells what r would become, without sending anything. The error is a
// *Refusal.
func (f *Facade) Explain(r *http.Request) (Explanation, error) {
	x := &exchange{in: r}
	e, err := f.explain(x)
	if err != nil {
		refused := problem.Of(err)
		_, body := refused.Envelope(x.voice)
		return Explanation{}, &Refusal{Status: refused.Status, Body: body}
	}
	return e, nil
}

func (f *Facade) explain(x *exchange) (Explanation, error) {
	m, err := f.router.match(x.in)
	query, badQuery := mapping.DecodeQuery(x.in.URL.RawQuery)
	in := mapping.Input{Item: m.item, Query: query}
	f.choose(x, m.root, in)
	if err := cmp.Or(err, badQuery); err != nil {
		return Explanation{}, err
	}
	code := f.options.Site[x.choice.Index].Code
	if m.docs {
		return Explanation{Endpoint: "docs", Language: code, Method: x.in.Method}, nil
	}
	if m.endpoint == nil {
		return Explanation{Endpoint: "options", Language: code, Method: x.in.Method}, nil
	}
	call, err := mapping.Parse(m.endpoint, x.in.Method, in, f.options.Unknown)
	if err != nil {
		return Explanation{}, err
	}
	call = call.Rooted(code)
	e := Explanation{Endpoint: call.Endpoint.Name(), Language: code, Canonical: call.Canonical(), Method: x.in.Method}
	if call.Endpoint.Local() {
		return e, nil
	}
	if !call.Endpoint.Writes() && !call.Secret() {
		e.Key = f.legacy.keyOf(call, code)
	}
	e.Upstream, e.Body = f.target(x, call)
	if lookup := f.legacy.speech.Lookup(call); lookup != nil {
		e.Before, _ = f.target(x, lookup)
	}
	return e, nil
}

// target gives URL and body of a call as they may be shown.
func (f *Facade) target(x *exchange, call *mapping.Call) (url, body string) {
	request := f.legacy.request(call.Masked(), x.choice)
	target := strings.TrimSuffix(request.Path+"?"+request.Query, "?")
	return mapping.RESTURL(f.legacy.roots[x.choice.Index].Upstream, target), string(request.Body)
}
