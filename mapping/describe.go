package mapping

import (
	"strconv"
	"strings"
	"time"
)

// Description tells the table to clients in WordPress's own form.
type Description struct {
	Base   string    // public URL of the namespace
	Up     string    // public URL of the REST root
	Naming string    // ends the links, as [Naming] has it
	Voice  Voice     // of the descriptions
	Now    time.Time // for generated defaults, in the site's zone
}

// Index is the body of the namespace index.
func (d Description) Index() []byte {
	routes := members{}
	for _, path := range Paths() {
		routes = append(routes, member{"/" + Namespace + pattern(path), d.route(path, true)})
	}
	return encode(members{
		{"namespace", Namespace},
		{"routes", routes},
		{"_links", members{{"up", d.hrefs(d.Up + "/")}}},
	})
}

// Options is the body of the answer to OPTIONS for a path of the table.
func (d Description) Options(path string) []byte { return encode(d.route(path, false)) }

func (d Description) route(path string, links bool) members {
	var endpoints []any
	for _, e := range Rows(path) {
		endpoints = append(endpoints, members{{"methods", e.Methods}, {"args", d.args(e)}})
	}
	m := members{{"namespace", Namespace}, {"methods", Methods(path)}, {"endpoints", endpoints}}
	if links && !strings.Contains(path, "{") {
		m = append(m, member{"_links", members{{"self", d.hrefs(d.Base + path)}}})
	}
	return m
}

func (d Description) hrefs(url string) []any { return []any{members{{"href", url + d.Naming}}} }

func (d Description) args(e *Endpoint) members {
	args := members{}
	for _, p := range e.Args() {
		if p.In == InBody && e.PathParam(p.Name) != nil {
			continue // an object cannot name both; the path's is the one that must be there
		}
		arg := members{}
		if t := p.wordPressType(); t != "" {
			arg = append(arg, member{"type", t})
		}
		if p.Kind.isList() {
			arg = append(arg, member{"items", members{{"type", "integer"}}})
		}
		if v, ok := p.defaultValue(d.Now); ok {
			arg = append(arg, member{"default", v})
		}
		if p.Enum != nil {
			arg = append(arg, member{"enum", p.Enum})
		}
		arg = append(arg, member{"description", d.Voice.Text(e.TextKey(p), nil)}, member{"required", e.Requires(p)})
		args = append(args, member{p.Name, arg})
	}
	return args
}

// wordPressType is the type that the legacy's own description gives; "" where
// it gives none.
func (p *Param) wordPressType() string {
	switch p.Kind {
	case Untyped, BooleanLike, Links, Price:
		return ""
	case DateTime:
		if p.In == InQuery {
			return ""
		}
	}
	return p.Kind.typeName()
}

func (k Kind) isList() bool { return k == IDSet || k == TermSet || k == Terms || k == Links }

func (p *Param) defaultValue(now time.Time) (any, bool) {
	switch {
	case p.Null:
		return nil, true
	case p.Generated != NotGenerated:
		return p.Generated.At(now), true
	case p.Default == "":
		return nil, false
	}
	return p.typedDefault(), true
}

// typedDefault is the Default as the JSON value that it stands for.
func (p *Param) typedDefault() any {
	switch p.Kind {
	case Boolean, BooleanLike, Untyped:
		return p.Default == "true"
	case Integer:
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
