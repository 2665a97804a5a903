package tec

import (
	"cmp"
	"slices"

	"github.com/calfacade/calfacade/mapping"
)

// termPaths are WordPress's paths of the terms of a resource, below the REST root.
var termPaths = map[string]string{"categories": "wp/v2/tribe_events_cat", "tags": "wp/v2/tags"}

// mediaPath is the path of images.
const mediaPath = "wp/v2/media"

// maxPerPage is WordPress's maximum of items on a page.
const maxPerPage = 100

// lacking are the filters, fields and attributes of a resource that the successor ignores or does not
// have; see [Dialect]. The successor has all others of the table.
var lacking = map[string][]string{
	"events": {"include", "geoloc", "geoloc_lat", "geoloc_lng", "ticketed", "website", "show_map", "show_map_link", "hide_from_listings",
		"custom_fields"},
	"venues":     {"has_events", "show_map", "show_map_link"},
	"organizers": {"has_events"},
	"categories": {"_links"},
	"tags":       {"_links"},
}

func isLacking(resource, name string) bool { return slices.Contains(lacking[resource], name) }

// renamed are the successor's names of fields and attributes, by resource, if the table has another name. "" is
// for events, venues and organizers together.
var renamed = map[string]map[string]string{
	"": {"date_utc": "date_gmt", "modified_utc": "modified_gmt", "description": "content", "image": "featured_media"},
	"events": {"categories": "tribe_events_cat", "venue": "venues", "organizer": "organizers",
		"utc_start_date": "start_date_utc", "utc_end_date": "end_date_utc"},
	"venues":     {"venue": "title", "stateprovince": "state_province"},
	"organizers": {"organizer": "title"},
}

// nameOf returns the successor's name of a field or an attribute.
func nameOf(resource, name string) string {
	shared := renamed[""][name]
	if termPaths[resource] != "" {
		shared = ""
	}
	if name == mapping.PageURLName {
		return "link"
	}
	return cmp.Or(renamed[resource][name], shared, name)
}

// sentName returns the successor's name of a parameter or a field; "" for a parameter that is not sent. A name
// that ends in [] is sent once for each value, since the successor refuses lists with commas.
func sentName(resource string, p *mapping.Param) string {
	switch {
	case p.In == mapping.InBody:
		return nameOf(resource, p.Name)
	case p == &mapping.Language, isLacking(resource, p.Name),
		p.Kind == mapping.TermSet,     // see selected
		p.Kind == mapping.BooleanLike, // see boundsOf
		p.Clock:                       // see Lacks
		return ""
	case p.AliasOf != "":
		return p.AliasOf
	case p.Kind == mapping.IDSet && termPaths[resource] == "":
		return p.Name + "[]"
	}
	return cmp.Or(map[string]string{start: "ends_after", end: "starts_before"}[p.Name], p.Name)
}

// The dates of an event, by the names in the table.
const (
	start = "start_date"
	end   = "end_date"
)
