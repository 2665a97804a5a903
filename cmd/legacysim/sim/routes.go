package sim

import (
	"net/url"
	"regexp"
	"slices"
)

// route is one pattern of the namespace with its endpoints, in the order in
// which Allow and the index list them.
type route struct {
	pattern   string
	noun      string // what the descriptions speak of
	endpoints []endpoint
	re        *regexp.Regexp
}

// endpoint is one set of methods of a route.
type endpoint struct {
	methods []string
	args    []arg
	may     func(*call) bool // nil: everybody
	run     func(*call) (*answer, error)
}

var (
	get    = []string{"GET"}
	create = []string{"POST"}
	edit   = []string{"POST", "PUT", "PATCH"}
	remove = []string{"DELETE"}
)

// routeTable is the whole namespace. It is a func, not a variable, because the
// index that it lists is made from it.
func routeTable() []route {
	const (
		id     = `/(?P<id>\d+)`
		slug   = `/by-slug/(?P<slug>[^/]+)`
		venues = "/venues"
		orgs   = "/organizers"
	)
	cat, tag := categoryTaxonomy, tagTaxonomy
	table := []route{
		{pattern: "", endpoints: []endpoint{
			{get, []arg{{name: "namespace", def: namespace}, {name: "context", def: "view"}}, nil, (*call).index},
		}},
		{pattern: "/doc", endpoints: []endpoint{
			{get, nil, nil, (*call).apiDoc},
		}},
		{pattern: "/events", noun: "event", endpoints: []endpoint{
			{get, eventFilters, nil, (*call).listEvents},
			{create, eventFields, (*call).mayCreate, (*call).createEvent},
		}},
		{pattern: "/events" + id, noun: "event", endpoints: []endpoint{
			{get, eventID, nil, (*call).readEvent},
			{remove, eventID, (*call).mayEditEvent, (*call).deleteEvent},
			{edit, eventByID, (*call).mayEditEvent, (*call).updateEvent},
		}},
		{pattern: "/events" + slug, noun: "event", endpoints: []endpoint{
			{get, eventSlug, nil, (*call).readEvent},
			{remove, eventSlug, (*call).mayEditEvent, (*call).deleteEvent},
			{edit, eventBySlug, (*call).mayEditEvent, (*call).updateEvent},
		}},
		{pattern: venues, noun: "venue", endpoints: []endpoint{
			{get, placeFilters, nil, venueDef.list},
			{create, venueFields, (*call).mayCreate, venueDef.create},
		}},
		{pattern: venues + id, noun: "venue", endpoints: []endpoint{
			{get, venueID, nil, venueDef.read},
			{remove, venueID, venueDef.mayEdit, venueDef.remove},
			{edit, join(venueID, optional(venueFields)), venueDef.mayEdit, venueDef.update},
		}},
		{pattern: venues + slug, noun: "venue", endpoints: []endpoint{
			{get, venueSlug, nil, venueDef.read},
			{remove, venueSlug, venueDef.mayEdit, venueDef.remove},
			{edit, join(venueSlug, optional(venueFields)), venueDef.mayEdit, venueDef.update},
		}},
		{pattern: orgs, noun: "organizer", endpoints: []endpoint{
			{get, placeFilters, nil, organizerDef.list},
			{create, organizerFields, (*call).mayCreate, organizerDef.create},
		}},
		{pattern: orgs + id, noun: "organizer", endpoints: []endpoint{
			{get, organizerID, nil, organizerDef.read},
			{remove, organizerID, organizerDef.mayEdit, organizerDef.remove},
			{edit, join(organizerID, optional(organizerFields)), organizerDef.mayEdit, organizerDef.update},
		}},
		{pattern: orgs + slug, noun: "organizer", endpoints: []endpoint{
			{get, organizerSlug, nil, organizerDef.read},
			{remove, organizerSlug, organizerDef.mayEdit, organizerDef.remove},
			{edit, join(organizerSlug, optional(organizerFields)), organizerDef.mayEdit, organizerDef.update},
		}},
		{pattern: "/categories", noun: "event category", endpoints: []endpoint{
			{get, termFilters(cat), nil, categoryDef.list},
			{create, termFields(cat), categoryDef.mayWrite, categoryDef.create},
		}},
		{pattern: "/categories" + id, noun: "event category", endpoints: []endpoint{
			{get, termID(cat), nil, categoryDef.read},
			{edit, join(termID(cat), optional(termFields(cat))), categoryDef.mayWrite, categoryDef.update},
			{remove, termID(cat), categoryDef.mayWrite, categoryDef.remove},
		}},
		{pattern: "/tags", noun: "event tag", endpoints: []endpoint{
			{get, termFilters(tag), nil, tagDef.list},
			{create, termFields(tag), tagDef.mayWrite, tagDef.create},
		}},
		{pattern: "/tags" + id, noun: "event tag", endpoints: []endpoint{
			{get, termID(tag), nil, tagDef.read},
			{edit, join(termID(tag), optional(termFields(tag))), tagDef.mayWrite, tagDef.update},
			{remove, termID(tag), tagDef.mayWrite, tagDef.remove},
		}},
	}
	for i := range table {
		table[i].re = regexp.MustCompile(`(?i)^/` + namespace + table[i].pattern + `$`)
	}
	return table
}

// match finds the route of a path and the values in it. The path is matched
// as it came, so that %2F is no slash; the values are decoded.
func (s *Site) match(path string) (*route, params) {
	for i := range s.routes {
		rt := &s.routes[i]
		m := rt.re.FindStringSubmatch(path)
		if m == nil {
			continue
		}
		values := params{}
		for j, name := range rt.re.SubexpNames() {
			if name != "" {
				values[name] = decodeSegment(m[j])
			}
		}
		return rt, values
	}
	return nil, nil
}

func decodeSegment(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// endpoint returns the one for the method, or nil; HEAD is GET.
func (rt *route) endpoint(method string) *endpoint {
	if method == "HEAD" {
		method = "GET"
	}
	for i := range rt.endpoints {
		if slices.Contains(rt.endpoints[i].methods, method) {
			return &rt.endpoints[i]
		}
	}
	return nil
}

// allowed are the methods that the user might use on what the call is about.
func (rt *route) allowed(c *call) []string {
	var methods []string
	for _, e := range rt.endpoints {
		if e.may == nil || e.may(c) {
			methods = append(methods, e.methods...)
		}
	}
	return methods
}
