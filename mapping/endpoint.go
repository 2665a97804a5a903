package mapping

import (
	"net/http"
	"slices"
	"time"
)

// Namespace is the neutral namespace of clients, without slashes at its ends.
const Namespace = "calendar/events/v1"

// Action is what an endpoint does with its resource.
type Action string

// The actions. Index and Doc are answered from the table and never reach the legacy.
const (
	Index  Action = "index"
	Doc    Action = "doc"
	List   Action = "list"
	Create Action = "create"
	Read   Action = "read"
	Update Action = "update"
	Delete Action = "delete"
)

// Endpoint is one row of the table: one path with the methods that share its
// parameters.
type Endpoint struct {
	Resource string        // collection as the path names it; "" for index and documentation
	Action   Action        // what it does
	Methods  []string      // in the order of Allow; HEAD and OPTIONS are implied
	Path     string        // below the namespace; {id} is digits, {slug} is anything but "/"
	Params   []Param       // of path and query, in the order in which faults are reported
	Fields   []Param       // of the body of a write, after Params
	Result   *Shape        // what a success answers with; nil where the table answers itself
	TTL      time.Duration // how long the response to a read is fresh; configuration can change it

	name string // results of Name and Args, which every request needs
	args []*Param
}

func init() {
	for i := range Table {
		e := &Table[i]
		e.name, e.args = e.makeName(), e.makeArgs()
	}
}

// BySlug reports whether the item is named by its slug and not by its id.
func (e *Endpoint) BySlug() bool { return e.PathParam(SlugParam.Name) != nil }

// Name is the endpoint's name in metrics, texts and configuration, such as
// "events.list" or "events.update_by_slug".
func (e *Endpoint) Name() string { return e.name }

func (e *Endpoint) makeName() string {
	name := string(e.Action)
	if e.Resource != "" {
		name = e.Resource + "." + name
	}
	if e.BySlug() {
		name += "_by_slug"
	}
	return name
}

// Writes reports whether the endpoint changes something.
func (e *Endpoint) Writes() bool {
	return e.Action == Create || e.Action == Update || e.Action == Delete
}

// OfTerms reports whether the resource is a taxonomy, and its items are terms.
func (e *Endpoint) OfTerms() bool { return counted[e.Resource] != "" }

// OfLinked reports whether the items of the resource are linked to events: venues and
// organizers.
func (e *Endpoint) OfLinked() bool {
	return slices.ContainsFunc(eventFields, func(p Param) bool { return p.Kind == Links && p.Of == e.Resource })
}

// Local reports whether the table itself answers, without the legacy.
func (e *Endpoint) Local() bool { return e.Action == Index || e.Action == Doc }

// Allows reports whether method is one of the endpoint's, HEAD standing with GET.
func (e *Endpoint) Allows(method string) bool {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return slices.Contains(e.Methods, method)
}

// Args lists every parameter and field in the order in which faults are reported. It
// is not to be changed.
func (e *Endpoint) Args() []*Param { return e.args }

func (e *Endpoint) makeArgs() []*Param {
	args := make([]*Param, 0, len(e.Params)+len(e.Fields)+1)
	for i := range e.Params {
		args = append(args, &e.Params[i])
	}
	for i := range e.Fields {
		args = append(args, &e.Fields[i])
	}
	return append(args, &Language)
}

// Requires reports whether p is required. Fields are required on create only.
func (e *Endpoint) Requires(p *Param) bool {
	return p.Required && (p.In == InPath || e.Action == Create)
}

// PathParam returns the parameter of the path with a name; nil if there is none.
func (e *Endpoint) PathParam(name string) *Param {
	for i := range e.Params {
		if p := &e.Params[i]; p.In == InPath && p.Name == name {
			return p
		}
	}
	return nil
}
