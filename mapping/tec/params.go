package tec

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// termPaths are WordPress's paths of the terms of a resource, below the REST root.
var termPaths = map[string]string{"categories": "wp/v2/tribe_events_cat", "tags": "wp/v2/tags"}

// mediaPath is that of images.
const mediaPath = "wp/v2/media"

// maxPerPage is WordPress's maximum of items on a page.
const maxPerPage = 100

// paramNames are the successor's names of parameters. A name that ends in [] is sent once for
// each value, since the successor refuses lists with commas. "" is not sent under any name.
var paramNames = map[string]map[string]string{
	"events": {
		"page": "page", "per_page": "per_page", "search": "search", "status": "status", "post_parent": "post_parent",
		"starts_after": "starts_after", "starts_before": "starts_before", "ends_after": "ends_after", "ends_before": "ends_before",
		"start_date": "ends_after", "end_date": "starts_before", "strict_dates": "", // see boundsOf
		"venue": "venue[]", "organizer": "organizer[]", "featured": "featured", "password": "password",
		"categories": "", "tags": "", // see selected
	},
	"venues":     linkedFilters,
	"organizers": linkedFilters,
	"categories": termFilters,
	"tags":       termFilters,
}

var linkedFilters = map[string]string{
	"page": "page", "per_page": "per_page", "search": "search", "status": "status", "event": "event",
	"only_with_upcoming": "", // see canSend
}

var termFilters = map[string]string{
	"page": "page", "per_page": "per_page", "search": "search", "exclude": "exclude", "include": "include", "order": "order",
	"orderby": "orderby", "hide_empty": "hide_empty", "parent": "parent", "post": "post", "event": "post", "slug": "slug",
}

// pathOf returns the path of a resource below the REST root.
func pathOf(b mapping.Backend, resource string) string {
	if terms := termPaths[resource]; terms != "" {
		return "/" + terms
	}
	return "/" + b.Place() + "/" + resource
}

// valueOf returns the value of a parameter in the form that the backend reads.
func valueOf(a mapping.Arg) string {
	yes, isBool := mapping.ParseBool(a.Text)
	switch name := a.Param.Name; {
	case name == "orderby":
		return orderBy(a.Text)
	case name == "order":
		if strings.EqualFold(a.Text, "asc") {
			return "asc"
		}
		return "desc" // whatever is not asc, as in the legacy
	case name == "status" && a.Text == "any":
		return anyStatus
	case isBool && (a.Param.Kind == mapping.Boolean || a.Param.Kind == mapping.Untyped) && name != "hide_empty":
		return map[bool]string{true: "1", false: "0"}[yes] // the successor reads "false" as true
	}
	return a.Text
}

// orderBy returns WordPress's name of an attribute by which terms are sorted; "" if it has
// none.
func orderBy(by string) string {
	if by == "term_id" {
		return "id"
	}
	if slices.Contains([]string{"id", "include", "name", "slug", "include_slugs", "term_group", "description", "count"}, by) {
		return by
	}
	return ""
}

// canSend reports whether the value of a parameter can be sent, or need not be, since the
// successor behaves so without it.
func canSend(a mapping.Arg) bool {
	switch a.Param.Name {
	case "orderby":
		return orderBy(a.Text) != ""
	case "only_with_upcoming":
		yes, _ := mapping.ParseBool(a.Text)
		return !yes
	}
	return true
}

// translator implements [mapping.Translator].
type translator struct{}

// anyStatus lists the statuses for "any". Clients that may not edit get published items alone.
const anyStatus = "publish,pending,draft,future,private"

// forUpdate is a parameter that marks the scan for an update. Clients cannot send it.
var forUpdate mapping.Param

// forField is a parameter that marks the read of a link. Its value is the field with the link.
// Clients cannot send it.
var forField mapping.Param
