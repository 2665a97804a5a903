package tec

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// termPaths are WordPress's paths of the terms of a resource, below the REST root.
var termPaths = map[string]string{"categories": "wp/v2/tribe_events_cat", "tags": "wp/v2/tags"}

// mediaPath is the path of images.
const mediaPath = "wp/v2/media"

// maxPerPage is WordPress's maximum of items on a page.
const maxPerPage = 100

// lacking are the filters, fields and attributes of a resource that the successor ignores or does not
// have; see [Dialect]. It has all others of the table.
var lacking = map[string][]string{
	"events": {"include", "geoloc", "geoloc_lat", "geoloc_lng", "ticketed", "website", "show_map", "show_map_link", "hide_from_listings",
		"custom_fields"},
	"venues":     {"has_events", "show_map", "show_map_link"},
	"organizers": {"has_events"},
	"categories": {"_links"},
	"tags":       {"_links"},
}

func isLacking(resource, name string) bool { return slices.Contains(lacking[resource], name) }

// renamed are the successor's names of fields and attributes that have another one than in the table, by
// resource. "" is for events, venues and organizers together.
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

// valueOf returns the value of a parameter in the form that the backend reads.
func valueOf(a mapping.Arg) string {
	yes, isBool := mapping.ParseBool(a.Text)
	switch name := a.Param.Name; {
	case name == "orderby":
		return orderings[a.Text]
	case name == "order":
		if strings.EqualFold(a.Text, "asc") {
			return "asc"
		}
		return "desc" // whatever is not asc, as in the legacy
	case name == "status" && a.Text == "any":
		return anyStatus
	case !isBool || a.Param.Kind != mapping.Boolean && a.Param.Kind != mapping.Untyped || name == "hide_empty":
	case yes:
		return "1"
	default:
		return "0" // the successor reads "false" as true
	}
	return a.Text
}

// orderings are WordPress's names of the attributes by which terms are sorted.
var orderings = map[string]string{"term_id": "id", "id": "id", "include": "include", "name": "name", "slug": "slug",
	"include_slugs": "include_slugs", "term_group": "term_group", "description": "description", "count": "count"}

// anyStatus lists the statuses for "any". Clients that may not edit get published items alone.
const anyStatus = "publish,pending,draft,future,private"

// forUpdate is a parameter that marks the scan for an update. Clients cannot send it.
var forUpdate mapping.Param

// forField is a parameter that marks the read of a link. Its value is the field with the link.
// Clients cannot send it.
var forField mapping.Param

// The successor compares dates to the second and has no default window. Its start_date and
// end_date mean something else: they exclude an event that began before the window. What the
// table calls start_date and end_date are its ends_after and starts_before.

// defaultWindow are the defaults of the table. They apply unless a client sends one of the
// successor's four bounds.
var defaultWindow = map[string]string{"start_date": "yesterday 23:59", "end_date": "+24 months"}

// bound is a bound of the dates in a list, by the successor's name.
type bound struct{ name, value string }

// boundsOf returns the bounds of a list: whole days, unless they are strict. If two are the same bound of
// the successor, the narrower one applies; ok is false if only a clock can compare them.
func boundsOf(c *mapping.Call) (bounds []bound, ok bool) {
	ok = true
	explicit := slices.ContainsFunc(c.Query, func(a mapping.Arg) bool {
		return a.Param.Kind == mapping.DateTime && defaultWindow[a.Param.Name] == ""
	})
	for _, p := range c.Endpoint.Params {
		value := c.Value(p.Name)
		if value == "" && !explicit {
			value = defaultWindow[p.Name]
		}
		if p.Kind != mapping.DateTime || value == "" {
			continue
		}
		if c.Value("strict_dates") != "true" {
			value = wholeDay(value, p.Name == start)
		}
		value = dates.AfterEpoch(value) // the successor refuses the epoch too
		next := bound{sentName(c.Endpoint.Resource, p), value}
		same := slices.IndexFunc(bounds, func(have bound) bool { return have.name == next.name })
		if same < 0 {
			bounds = append(bounds, next)
			continue
		}
		have := bounds[same].value
		ok = ok && dates.IsCanonical(have) && dates.IsCanonical(next.value)
		if later := next.value > have; later == strings.HasSuffix(next.name, "_after") {
			bounds[same] = next
		}
	}
	return bounds, ok
}

// wholeDay returns the beginning or the end of the day that a date is in. It does not change an
// instant, whose day depends on the zone.
func wholeDay(s string, begin bool) string {
	clock := " 23:59:59"
	if begin {
		clock = " 00:00:00"
	}
	switch day, _, _ := strings.Cut(s, " "); {
	case dates.IsCanonical(s), s == defaultWindow["start_date"]:
		return day + clock
	case dates.IsTimeOfDay(s):
		return "today" + clock
	case strings.Contains(s, ":") || dates.KindOf(s) == dates.Instant:
		return s
	}
	return s + clock
}

// counted returns the items of a list and its total, which the header has and the body does not.
func counted(b mapping.Backend, got mapping.Reply) (items []jsontext.Value, total int, err error) {
	items, err = jsonscan.Elements(got.Body)
	if err == nil && !b.Dialect.Counts(got.Header) {
		err = errUncounted
	}
	return items, mapping.ParseCount(got.Header.Get(b.Dialect.Total)), err
}

var errUncounted = errors.New("the header fields with the totals of a list are missing: does a proxy in between remove them?")

// The successor has no paths by slug, and its lists ignore a filter slug (recordings
// tec/events-by-slug and tec/events-list-ignores-slug). So a call by slug is preceded by a list
// of the ids and slugs of all items that the client may see, and made by id.

// maxScanned is the maximum number of items in that list. The successor has no maximum of its own
// (recording tec/events-list-per_page-999999).
const maxScanned = 10_000

var errTooMany = fmt.Errorf("%w: a search by slug reads at most %d items", mapping.ErrNotSupported, maxScanned)

// scanOf returns the scan for the item that c names by its slug: a call of the table's list, with a
// parameter that clients cannot send.
func scanOf(c *mapping.Call) *mapping.Call {
	list := readFor(c, c.Endpoint.Resource, mapping.List, mapping.Arg{Param: &mapping.SlugParam, Text: c.Item})
	if c.Endpoint.Action == mapping.Update {
		list.Query = append(list.Query, mapping.Arg{Param: &forUpdate})
	}
	return list
}

// readFor returns a read that precedes c.
func readFor(c *mapping.Call, resource string, action mapping.Action, query ...mapping.Arg) *mapping.Call {
	return mapping.NewRead(mapping.RowOf(resource, action, false), c.Language, query...)
}

// scan returns the result of a scan in the form of a list: terms as they are, of posts the one with
// the slug.
func scan(b mapping.Backend, c *mapping.Call, slug string, got mapping.Reply) (mapping.Reply, error) {
	items, total, err := counted(b, got)
	switch i := slices.IndexFunc(items, func(item jsontext.Value) bool { return hasSlug(item, slug) }); {
	case err != nil:
		return mapping.Reply{}, err
	case termPaths[c.Endpoint.Resource] != "":
		return c.PageOf(b, items, total, 1, got.Header), nil
	case i >= 0:
		return c.PageOf(b, items[i:i+1], 1, 1, got.Header), nil
	case total > maxScanned: // not len(items): it counts items that the client may not read
		return mapping.Reply{}, errTooMany
	}
	return unknownItem(c, mapping.SlugParam.Name, "0"), nil
}

// hasSlug reports whether an item has a slug. A client may send letters outside ASCII that are not
// percent-encoded in the item's slug, or a title that WordPress turns into the slug.
func hasSlug(item jsontext.Value, slug string) bool {
	have := jsonscan.Text(jsonscan.Get(item, mapping.SlugParam.Name))
	decoded, err := url.PathUnescape(have)
	return have != "" && (have == slug || have == mapping.SafeSlug(slug) || err == nil && decoded == slug)
}
