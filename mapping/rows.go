package mapping

import (
	"net/http"
	"slices"
	"strings"
)

func init() {
	for _, e := range Table {
		e.Methods = methods[e.Action]
	}
	for _, e := range Table {
		e.Allow = Allow(e.Path)
		e.BySlug = e.PathParam(SlugParam.Name) != nil
		e.name = strings.TrimPrefix(e.Resource+"."+string(e.Action), ".")
		if e.BySlug {
			e.name += "_by_slug"
		}
		item := items[e.Resource]
		e.Result = item.shape
		if e.Action == List {
			e.Result = listOf(e.Resource, item.shape)
		}
		switch e.Action {
		case List, Read:
			e.TTL = item.ttl
			e.Extensions = views(item.shape)
		case Create, Update:
			e.Fields = item.fields
		}
		e.Args = slices.Concat(e.Params, e.Fields, []*Param{&Language})
		e.legacy = e.forLegacy()
	}
}

// forLegacy returns the row of a list in which clients that speak the legacy's names are served; nil for other
// rows, which these clients share.
func (e *Endpoint) forLegacy() *Endpoint {
	if e.Action != List {
		return nil
	}
	row := *e
	row.Params = nil
	row.Extensions = nil
	for _, p := range e.Params {
		row.Params = append(row.Params, p.forLegacy())
	}
	row.Args = append(row.Params[:len(row.Params):len(row.Params)], &Language)
	return &row
}

// forLegacy returns a filter that the legacy gets as its client sent the filter:
//   - A site has a page size of its own (recording settings/en/posts-per-page-3-events).
//   - With include the legacy has a separate window of dates (recording events/en/list-include-far-future).
//   - The legacy shows the order of ids in links (recording events/en/list-include-array), and applies only the first
//     of several tags.
//   - Statuses can be a list, a text cannot be empty, and an element of a list is not split.
//   - An alias has precedence.
func (p *Param) forLegacy() *Param {
	isSet := p.Kind == IDSet || p.Kind == TermSet
	filter := *p
	if p.Sent {
		filter.Default = ""
	}
	filter.LiftedBy = ""
	filter.FirstAlone = false
	filter.Ordered = p.Kind == IDSet || p.FirstAlone
	filter.Joined = isSet || p.Known != nil
	filter.Filled = p.Filled || p.Kind == Text && p.Enum == nil
	filter.Overrides = p.AliasOf != ""
	return &filter
}

// OfTerms reports whether the resource is a taxonomy, and its items are terms.
func (e *Endpoint) OfTerms() bool { return counted[e.Resource] != "" }

// OfLinked reports whether the items of the resource are linked to events: venues and
// organizers.
func (e *Endpoint) OfLinked() bool {
	return slices.ContainsFunc(eventFields, func(p *Param) bool { return p.Kind == Links && p.Of == e.Resource })
}

// Resources are the collections of the table, in the table's order.
func Resources() []string {
	return slices.DeleteFunc(column(func(e *Endpoint) string { return e.Resource }), func(r string) bool { return r == "" })
}

// Paths lists the paths of the table, each once, in the table's order.
func Paths() []string { return column(func(e *Endpoint) string { return e.Path }) }

// column returns the texts of the rows, equal texts of adjacent rows once.
func column(text func(*Endpoint) string) []string {
	values := make([]string, len(Table))
	for i, e := range Table {
		values[i] = text(e)
	}
	return slices.Compact(values)
}

// ResourceOf returns the resource with a name as [Singular]; "" without such a resource.
func ResourceOf(singular string) string {
	resources := Resources()
	i := slices.IndexFunc(resources, func(r string) bool { return Singular(r) == singular })
	if i >= 0 {
		return resources[i]
	}
	return ""
}

// Rows returns the rows of a path.
func Rows(path string) []*Endpoint {
	var rows []*Endpoint
	for _, e := range Table {
		if e.Path == path {
			rows = append(rows, e)
		}
	}
	return rows
}

// RowOf returns the row of an action on a resource with the item named by slug or by id.
func RowOf(resource string, action Action, bySlug bool) *Endpoint {
	for _, e := range Table {
		if e.Resource == resource && e.Action == action && e.BySlug == bySlug {
			return e
		}
	}
	panic("BUG: no row to " + string(action) + " " + resource)
}

// Methods lists the methods of a path in the table's order, without the implied.
func Methods(path string) []string {
	var methods []string
	for _, e := range Rows(path) {
		methods = append(methods, e.Methods...)
	}
	return methods
}

// Allow returns the methods of a path, with HEAD and OPTIONS, for the header field of that name.
func Allow(path string) string {
	methods := append([]string{http.MethodOptions}, Methods(path)...)
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// BodyTypes are the media types of the bodies that writes read, sorted. Types that end with +json are
// read as JSON too.
var BodyTypes = []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}

// bodyTypeFields are the header fields that name the media types of the bodies of a method: RFC 5789, 3.1
// for PATCH, and https://www.w3.org/TR/ldp/#header-accept-post for POST. PUT has no such field.
var bodyTypeFields = map[string]string{http.MethodPatch: "Accept-Patch", http.MethodPost: "Accept-Post"}

// SetBodyTypes sets the header fields that name the media types of the bodies that a path reads.
func SetBodyTypes(h http.Header, path string) {
	for _, method := range Methods(path) {
		name := bodyTypeFields[method]
		if name != "" {
			h[name] = []string{strings.Join(BodyTypes, ", ")}
		}
	}
}

// MethodField is the header field in which a POST names the intended method, as WordPress's own client sends
// PUT, PATCH and DELETE (recording events/en/update-method-override-header).
const MethodField = "X-HTTP-Method-Override"

// methodParam means the same to WordPress, in the query of any request (recordings
// events/en/update-_method-query, delete-_method-query). Some libraries send _method in the body.
const methodParam = "_method"

// override has the methods that a POST can mean.
var override = Param{Name: MethodField, Kind: Text, Enum: []string{"DELETE", "PATCH", "POST", "PUT"}}

// Override returns the method that a POST with these values of MethodField means. The error is
// Faults: a name of another method, or more than one name.
func Override(values []string) (string, error) {
	method := strings.ToUpper(values[0])
	if len(values) == 1 && slices.Contains(override.Enum, method) {
		return method, nil
	}
	return "", Faults{*override.notInEnum()}
}
