package mapping

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Voice speaks one language.
type Voice interface {
	// Text gives the text of a key, its placeholders filled from args.
	Text(key string, args map[string]string) string
	// Join lists items in words: "en, fr, de, and es".
	Join(items []string) string
}

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
		routes = append(routes, Member{"/" + Namespace + pattern(path), d.route(path, true)})
	}
	return encodeJSON(members{
		{"namespace", Namespace},
		{"routes", routes},
		{"_links", members{{"up", d.hrefs(d.Up + "/")}}},
	})
}

// Options is the body of the answer to OPTIONS for a path of the table.
func (d Description) Options(path string) []byte { return encodeJSON(d.route(path, false)) }

// IndexNamespace reports whether an index call asks for this namespace.
func IndexNamespace(c *Call) bool { return c.Value(inIndex.Name) == Namespace }

// Paths lists the paths of the table, each once, in its order.
func Paths() []string {
	var paths []string
	for i := range Table {
		if p := Table[i].Path; !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}

// Rows gives the rows of a path.
func Rows(path string) []*Endpoint {
	var rows []*Endpoint
	for i := range Table {
		if Table[i].Path == path {
			rows = append(rows, &Table[i])
		}
	}
	return rows
}

// Methods lists the methods of a path in the table's order, without the implied.
func Methods(path string) []string {
	var methods []string
	for _, e := range Rows(path) {
		methods = append(methods, e.Methods...)
	}
	return methods
}

func (d Description) route(path string, links bool) members {
	var endpoints []any
	for _, e := range Rows(path) {
		endpoints = append(endpoints, members{{"methods", e.Methods}, {"args", d.args(e)}})
	}
	m := members{{"namespace", Namespace}, {"methods", Methods(path)}, {"endpoints", endpoints}}
	if links && !strings.Contains(path, "{") {
		m = append(m, Member{"_links", members{{"self", d.hrefs(d.Base + path)}}})
	}
	return m
}

func (d Description) hrefs(url string) []any { return []any{members{{"href", url + d.Naming}}} }

func (d Description) args(e *Endpoint) members {
	args := members{}
	for _, p := range e.Args() {
		if p.In == InBody && e.path(p.Name) != nil {
			continue // an object cannot name both; the path's is the one that must be there
		}
		arg := members{}
		if t := p.wordPressType(); t != "" {
			arg = append(arg, Member{"type", t})
		}
		if p.Kind.isList() {
			arg = append(arg, Member{"items", members{{"type", "integer"}}})
		}
		if v, ok := p.defaultValue(d.Now); ok {
			arg = append(arg, Member{"default", v})
		}
		if p.Enum != nil {
			arg = append(arg, Member{"enum", p.Enum})
		}
		arg = append(arg, Member{"description", d.Voice.Text(e.TextKey(p), nil)}, Member{"required", e.Requires(p)})
		args = append(args, Member{p.Name, arg})
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

// SlugLiteral is the segment of a path behind which a slug stands.
func SlugLiteral() string {
	for _, path := range Paths() {
		if before, found := strings.CutSuffix(path, "/{"+slug.Name+"}"); found {
			return before[strings.LastIndexByte(before, '/')+1:]
		}
	}
	panic("BUG: the table has no path with a slug")
}

// pattern writes a path as WordPress writes its routes.
func pattern(path string) string {
	return strings.NewReplacer("{id}", `(?P<id>\d+)`, "{slug}", `(?P<slug>[^/]+)`).Replace(path)
}
