package tec

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// termPaths is where WordPress has the terms of a resource, below the REST root.
var termPaths = map[string]string{"categories": "wp/v2/tribe_events_cat", "tags": "wp/v2/tags"}

// mediaPath is where it has images.
const mediaPath = "wp/v2/media"

// maxPerPage is WordPress's maximum of items on a page.
const maxPerPage = 100

// paramNames are the names of parameters there. A name that ends in []
// accepts each value by itself: a list of one, written with commas, is refused.
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
	"only_with_upcoming": "", // without it is what there is
}

var termFilters = map[string]string{
	"page": "page", "per_page": "per_page", "search": "search", "exclude": "exclude", "include": "include", "order": "order",
	"orderby": "orderby", "hide_empty": "hide_empty", "parent": "parent", "post": "post", "slug": "slug",
}

// pathOf is where a resource is, below the REST root.
func pathOf(b mapping.Backend, resource string) string {
	if terms := termPaths[resource]; terms != "" {
		return "/" + terms
	}
	return "/" + b.Place() + "/" + resource
}

// valueOf is the value of a parameter as the backend reads it.
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
		return map[bool]string{true: "1", false: "0"}[yes] // "false" is true there
	}
	return a.Text
}

// orderBy is what WordPress calls an attribute to sort terms by; "" for one that
// it does not know.
func orderBy(by string) string {
	if by == "term_id" {
		return "id"
	}
	if slices.Contains([]string{"id", "include", "name", "slug", "include_slugs", "term_group", "description", "count"}, by) {
		return by
	}
	return ""
}

// canSend reports whether the value of a parameter can be sent, or is what the successor does
// without it.
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

// anyStatus are the statuses of a list; those who do not write get what is published.
const anyStatus = "publish,pending,draft,future,private"

// forUpdate marks the scan for an update, which clients cannot send either.
var forUpdate mapping.Param

// forField marks the read of a link, which clients cannot send, with the field.
var forField mapping.Param
