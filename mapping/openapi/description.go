package openapi

import (
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// Description describes the table to clients in WordPress's own form.
type Description struct {
	Base   string        // public URL of the namespace
	Naming string        // suffix of the links, as in [Naming]
	Texts  mapping.Texts // of the descriptions
	Now    time.Time     // for generated defaults, in the site's zone
}

// Index is the body of the namespace index.
func (d Description) Index() []byte {
	routes := members{}
	for _, path := range mapping.Paths() {
		routes = append(routes, member{
			Name:  "/" + mapping.Namespace + wordPressPath.Replace(path),
			Value: d.route(path, true),
		})
	}
	return mapping.EncodeJSON(members{
		{"namespace", mapping.Namespace},
		{"routes", routes},
		// The legacy's has the REST root as "up", which the facade does not serve.
		{"_links", members{{"self", d.hrefs(d.Base)}}},
	})
}

// Options is the body of the response to OPTIONS for a path of the table.
func (d Description) Options(path string) []byte { return mapping.EncodeJSON(d.route(path, false)) }

func (d Description) route(path string, links bool) members {
	var endpoints []any
	for _, e := range mapping.Rows(path) {
		endpoints = append(endpoints, members{{"methods", e.Methods}, {"args", d.args(e)}})
	}
	return members{{"namespace", mapping.Namespace}, {"methods", mapping.Methods(path)}, {"endpoints", endpoints}}.
		With(links && !strings.Contains(path, "{"), "_links", members{{"self", d.hrefs(d.Base + path)}})
}

func (d Description) hrefs(url string) []any { return []any{members{{"href", url + d.Naming}}} }

func (d Description) args(e *mapping.Endpoint) members {
	args := members{}
	for _, p := range e.Args {
		if p.In == mapping.InBody && e.PathParam(p.Name) != nil {
			continue // an object cannot name both; the path's is the one that must be there
		}
		v := typedDefault(p)
		if p.Generated != mapping.NotGenerated {
			v = p.Generated.At(d.Now)
		}
		args = append(args, member{Name: p.Name, Value: members{}.
			With(wordPressType(p) != "", "type", wordPressType(p)).With(isList(p.Kind), "items", typed("integer")).
			With(p.Null || v != nil, "default", v).With(p.Enum != nil, "enum", p.Enum).
			With(true, "description", d.Texts.Text(paramKey(e, p), nil)).With(true, "required", e.Requires(p))})
	}
	return args
}

// wordPressType is the type of a parameter in the index; "" for a parameter of any type. The
// legacy omits the type of dates of filters, strict_dates, venue and organizer too.
func wordPressType(p *mapping.Param) string {
	if p.Kind == mapping.Untyped || p.Kind == mapping.Price {
		return ""
	}
	return p.Kind.JSONType()
}

// wordPressPath writes the parameters of a path as WordPress writes the parameters of routes.
var wordPressPath = strings.NewReplacer("{id}", `(?P<id>\d+)`, "{slug}", `(?P<slug>[^/]+)`)
