package openapi

import (
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// Description describes the table to clients in WordPress's own form.
type Description struct {
	Base   string        // public URL of the namespace
	Up     string        // public URL of the REST root
	Naming string        // ends the links, as [Naming] has it
	Texts  mapping.Texts // of the descriptions
	Now    time.Time     // for generated defaults, in the site's zone
}

// Index is the body of the namespace index.
func (d Description) Index() []byte {
	routes := members{}
	for _, path := range mapping.Paths() {
		routes = append(routes, member{"/" + mapping.Namespace + pattern(path), d.route(path, true)})
	}
	return encode(members{
		{"namespace", mapping.Namespace},
		{"routes", routes},
		{"_links", members{{"up", d.hrefs(d.Up + "/")}}},
	})
}

// Options is the body of the response to OPTIONS for a path of the table.
func (d Description) Options(path string) []byte { return encode(d.route(path, false)) }

func (d Description) route(path string, links bool) members {
	var endpoints []any
	for _, e := range mapping.Rows(path) {
		endpoints = append(endpoints, members{{"methods", e.Methods}, {"args", d.args(e)}})
	}
	m := members{{"namespace", mapping.Namespace}, {"methods", mapping.Methods(path)}, {"endpoints", endpoints}}
	if links && !strings.Contains(path, "{") {
		m = append(m, member{"_links", members{{"self", d.hrefs(d.Base + path)}}})
	}
	return m
}

func (d Description) hrefs(url string) []any { return []any{members{{"href", url + d.Naming}}} }

func (d Description) args(e *mapping.Endpoint) members {
	args := members{}
	for _, p := range e.Args() {
		if p.In == mapping.InBody && e.PathParam(p.Name) != nil {
			continue // an object cannot name both; the path's is the one that must be there
		}
		arg := members{}
		if t := wordPressType(p); t != "" {
			arg = append(arg, member{"type", t})
		}
		if isList(p.Kind) {
			arg = append(arg, member{"items", members{{"type", "integer"}}})
		}
		if v, ok := defaultValue(p, d.Now); ok {
			arg = append(arg, member{"default", v})
		}
		if p.Enum != nil {
			arg = append(arg, member{"enum", p.Enum})
		}
		arg = append(arg, member{"description", d.Texts.Text(paramKey(e, p), nil)}, member{"required", e.Requires(p)})
		args = append(args, member{p.Name, arg})
	}
	return args
}

// wordPressType is the type of a parameter in the index; "" for what may have any. The
// legacy has none for dates of filters, strict_dates, venue and organizer either.
func wordPressType(p *mapping.Param) string {
	if p.Kind == mapping.Untyped || p.Kind == mapping.Price {
		return ""
	}
	return p.Kind.JSONType()
}

func isList(k mapping.Kind) bool {
	return k == mapping.IDSet || k == mapping.TermSet || k == mapping.Terms || k == mapping.Links
}

func defaultValue(p *mapping.Param, now time.Time) (any, bool) {
	switch {
	case p.Null:
		return nil, true
	case p.Generated != mapping.NotGenerated:
		return p.Generated.At(now), true
	case p.Default == "":
		return nil, false
	}
	return typedDefault(p), true
}

// typedDefault is the Default as a JSON value.
func typedDefault(p *mapping.Param) any {
	switch p.Kind {
	case mapping.Boolean, mapping.BooleanLike, mapping.Untyped:
		return p.Default == "true"
	case mapping.Integer:
		n, err := strconv.Atoi(p.Default)
		if err != nil {
			panic("BUG: default of " + p.Name + ": " + err.Error())
		}
		return n
	}
	return p.Default
}

// pattern writes a path as WordPress writes its routes.
func pattern(path string) string {
	return strings.NewReplacer("{id}", `(?P<id>\d+)`, "{slug}", `(?P<slug>[^/]+)`).Replace(path)
}
