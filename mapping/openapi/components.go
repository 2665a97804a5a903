package openapi

import (
	"strconv"

	"github.com/calfacade/calfacade/mapping"
)

func (d document) components() members {
	return members{
		{"securitySchemes", d.securitySchemes()},
		{"parameters", d.parameters()},
		{"headers", d.headers()},
		{"responses", append(d.successes(), d.failures()...)},
		{"schemas", d.schemas()},
		{"examples", d.examples()},
	}
}

func (d document) securitySchemes() members {
	return members{
		{"basic", members{{"type", "http"}, {"scheme", "basic"}, {"description", d.text("security.basic")}}},
		{"cookie", members{{"type", "apiKey"}, {"in", "cookie"}, {"name", "wordpress_logged_in"}, {"description", d.text("security.cookie")}}},
		{"nonce", members{{"type", "apiKey"}, {"in", "header"}, {"name", "X-WP-Nonce"}, {"description", d.text("security.nonce")}}},
	}
}

// requestFields are the header fields of requests that have an effect, beside those that
// clients sign in with. The text of one is "header." and its name. The page for people
// sends an example with each request that is tried, so that conditions have none.
var requestFields = []struct {
	name    string
	among   among
	example string
}{
	{"If-Match", writeRows, ""},
	{"If-None-Match", notIndex, ""},
	{"If-Unmodified-Since", writeRows, ""},
	{"Prefer", updateRows, "handling=strict"},
}

func (d document) parameters() members {
	all, seen := members{}, map[string]bool{}
	for _, a := range requestFields {
		p := members{
			{"name", a.name}, {"in", "header"}, {"description", d.text("header." + a.name)},
			{"required", false}, {"schema", typed("string", false)},
		}
		if a.example != "" {
			p = append(p, member{"example", a.example})
		}
		all = append(all, member{a.name, p})
	}
	for i := range mapping.Table {
		e := &mapping.Table[i]
		for _, p := range e.Args() {
			if key := paramKey(e, p); p.In != mapping.InBody && !seen[key] {
				seen[key] = true
				all = append(all, member{key, d.parameter(e, p)})
			}
		}
	}
	return all
}

func (d document) headers() members {
	all := members{}
	for i := range responseFields {
		all = append(all, member{responseFields[i].name, d.header(&responseFields[i])})
	}
	return all
}

// successes are the responses of each resource to each action.
func (d document) successes() members {
	all, seen := members{}, map[string]bool{}
	for i := range mapping.Table {
		e := &mapping.Table[i]
		if name := resultName(e); !seen[name] {
			seen[name] = true
			all = append(all, member{name, d.success(e)})
		}
	}
	return all
}

func (d document) failures() members {
	all := members{}
	for i := range failures {
		all = append(all, member{strconv.Itoa(failures[i].status), d.failure(&failures[i])})
	}
	return append(all, member{"default", d.failed(d.text("document.error"), 0)})
}

func (d document) schemas() members {
	all := members{}
	for _, s := range documentedShapes() {
		all = append(all, member{camel(s.Name), d.schema(s)})
	}
	for i := range mapping.Table {
		if e := &mapping.Table[i]; len(e.Fields) > 0 {
			all = append(all, member{camel(e.Name()), d.input(e)})
		}
	}
	return all
}

func (d document) examples() members {
	all := members{}
	for i := range mapping.Table {
		e := &mapping.Table[i]
		if v := exampleOf(d.language, e); v != nil && e.Name() == exampleName(e) {
			all = append(all, member{e.Name(), members{{"value", v}}})
		}
	}
	return all
}
