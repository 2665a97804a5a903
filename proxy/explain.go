package proxy

import (
	"net/http"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
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

// Explain tells what r would become, without sending anything. The error is the
// answer that r would get instead.
func (f *Facade) Explain(r *http.Request) (Explanation, error) {
	x := &exchange{in: r}
	m, err := f.router.match(r)
	if err != nil {
		return Explanation{}, err
	}
	query, err := mapping.DecodeQuery(r.URL.RawQuery)
	if err != nil {
		return Explanation{}, err
	}
	in := mapping.Input{Item: m.item, Query: query}
	f.choose(x, m.root, in)
	if m.endpoint == nil {
		return Explanation{Endpoint: "options", Language: f.options.Site[x.choice.Index].Code, Method: r.Method}, nil
	}
	call, err := mapping.Parse(m.endpoint, r.Method, in, f.options.Unknown)
	if err != nil {
		return Explanation{}, err
	}
	code := f.options.Site[x.choice.Index].Code
	e := Explanation{Endpoint: call.Endpoint.Name(), Language: code, Canonical: call.Canonical(), Method: r.Method}
	if !call.Endpoint.Writes() && !call.Secret() {
		e.Key = call.Key(code)
	}
	if call.Endpoint.Local() {
		return e, nil
	}
	target := func(c *mapping.Call) (string, string) {
		request := f.legacy.Translate(c.Masked(), x.choice.Tell)
		u := f.roots[x.choice.Index].Upstream + request.Path + "?" + request.Query
		return strings.TrimSuffix(u, "?"), string(request.Body)
	}
	e.Upstream, e.Body = target(call)
	if lookup := call.Lookup(); lookup != nil {
		e.Before, _ = target(lookup)
	}
	return e, nil
}

// Message is the body of the answer for an error, in a language of
// i18n.Codes.
func Message(err error, language string) []byte {
	_, body := asError(err).body(i18n.Voice(language))
	return body
}
