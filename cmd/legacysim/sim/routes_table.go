package sim

import (
	"regexp"
	"sync"
)

// routeTable returns the whole namespace. Sites share it, because its patterns take long to
// compile.
var routeTable = sync.OnceValue(newRouteTable)

func newRouteTable() []route {
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
