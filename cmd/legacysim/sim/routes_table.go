package sim

import (
	"regexp"
	"strings"
	"sync"

	"github.com/calfacade/calfacade/mapping"
)

// routeTable returns the routes of both namespaces. Sites share it, because its patterns take long to
// compile.
var routeTable = sync.OnceValue(func() []route {
	table := append(legacyRoutes(), tecRoutes()...)
	for i := range table {
		table[i].re = regexp.MustCompile(`(?i)^/` + table[i].namespace + table[i].pattern + `$`)
	}
	return table
})

// legacyRoutes are the routes of the table, whose names are the legacy's.
func legacyRoutes() []route {
	var table []route
	pattern := strings.NewReplacer("{id}", `(?P<id>\d+)`, "{slug}", `(?P<slug>[^/]+)`)
	for _, path := range mapping.Paths() {
		rows := mapping.Rows(path)
		if len(rows) == 3 && !rows[0].OfTerms() { // which name DELETE before the methods that update
			rows[1], rows[2] = rows[2], rows[1]
		}
		rt := route{namespace: namespace, pattern: pattern.Replace(path)}
		for _, e := range rows {
			rt.endpoints = append(rt.endpoints, endpointOf(e))
		}
		table = append(table, rt)
	}
	return table
}

// handler has the functions of a resource.
type handler struct {
	list, create, read, update, remove func(*call) (*answer, error)
	mayCreate, mayEdit                 func(*call) bool
}

func handlerOf(resource string) handler {
	for _, d := range []placeDef{venueDef, organizerDef} {
		if d.key == resource {
			return handler{d.list, d.create, d.read, d.update, d.remove, (*call).mayCreate, d.mayEdit}
		}
	}
	for _, d := range []termDef{categoryDef, tagDef} {
		if d.key == resource {
			return handler{d.list, d.create, d.read, d.update, d.remove, d.mayWrite, d.mayWrite}
		}
	}
	return handler{
		(*call).listEvents, (*call).createEvent, (*call).readEvent, (*call).updateEvent, (*call).deleteEvent,
		(*call).mayCreate, (*call).mayEditEvent,
	}
}

func endpointOf(e *mapping.Endpoint) endpoint {
	h, out := handlerOf(e.Resource), endpoint{methods: e.Methods, args: argsOf(e)}
	switch e.Action {
	case mapping.Index:
		out.run = (*call).index
	case mapping.Doc:
		out.run = (*call).apiDoc
	case mapping.List:
		out.run = h.list
	case mapping.Read:
		out.run = h.read
	case mapping.Create:
		out.run, out.may = h.create, h.mayCreate
	case mapping.Update:
		out.run, out.may = h.update, h.mayEdit
	case mapping.Delete:
		out.run, out.may = h.remove, h.mayEdit
	}
	return out
}
