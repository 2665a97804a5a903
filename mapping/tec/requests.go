package tec

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// unsupported lists the parameters and fields of a call that the successor would ignore without an error.
func unsupported(c *mapping.Call) (lacks mapping.Lacking) {
	for _, a := range c.Query {
		upcoming, _ := mapping.ParseBool(a.Text)
		lacking := isLacking(c.Endpoint.Resource, a.Param.Name) || a.Param.Clock && upcoming ||
			a.Param.Name == "orderby" && orderings[a.Text] == ""
		if lacking && !a.IsDefault() {
			lacks = append(lacks, a.Param.Name)
		}
	}
	for _, a := range c.Fields {
		_, ok := memberOf(c.Endpoint.Resource, a)
		// Without a title the successor fails to create an item (recording tec/events-create-title-empty).
		nameless := nameOf(c.Endpoint.Resource, a.Param.Name) == "title" && strings.TrimSpace(a.Text) == ""
		// An item that is scheduled without a date is published (recordings tec/events-create-status-future and
		// tec/events-update-status-future).
		publishes := a.Param.Name == "status" && a.Text == "future" && !a.Preserved && !c.Named("date") && !c.Named("date_utc")
		if !ok || nameless || publishes {
			lacks = append(lacks, a.Param.Name)
		}
	}
	if c.Endpoint.Action == mapping.Create && termPaths[c.Endpoint.Resource] == "" && !c.Named("status") {
		lacks = append(lacks, "status") // the successor would publish, also for users who may not publish on the legacy
	}
	if _, ok := boundsOf(c); !ok {
		lacks = append(lacks, "start_date", "end_date")
	}
	return lacks
}

// request returns the request for a call, after all necessary reads.
func (t *client) request(c *mapping.Call) mapping.Request {
	c = tribe.Slashed(t.IDs.Outgoing(c))
	terms := termPaths[c.Endpoint.Resource] != ""
	path := cmp.Or(termPaths[c.Endpoint.Resource], t.Dialect.Namespace+"/"+c.Endpoint.Resource)
	r := mapping.Request{Method: c.Method, Path: "/" + path, Header: t.Dialect.Header}
	if c.Item != "" {
		r.Path += "/" + c.Item
	}
	action := c.Endpoint.Action
	switch {
	case !c.Endpoint.Writes():
		r.Query = strings.Join(queryOf(c), "&")
	case action != mapping.Delete:
		r.Method = http.MethodPost
		r.Body = bodyOf(c)
		if action == mapping.Update && !terms {
			r.Method = http.MethodPut
		}
	case terms:
		r.Query = "force=true" // terms have no trash
	}
	r.Query = t.WithLanguage(r.Query, t.env.Language)
	return r
}

func queryOf(c *mapping.Call) []string {
	_, isScan := c.Argument(&mapping.SlugParam)
	switch {
	case isScan && termPaths[c.Endpoint.Resource] != "": // of a page of terms
		return []string{"_fields=id%2Cslug%2Cparent", fmt.Sprintf("page=%d", c.Page()), fmt.Sprintf("per_page=%d", maxPerPage)}
	case isScan: // of all posts that the client may see
		return []string{"_fields=id%2Cslug", fmt.Sprintf("per_page=%d", maxScanned), "status=" + url.QueryEscape(anyStatus)}
	}
	var query []string
	filtered := len(byTerms(c)) > 0
	if filtered {
		query = append(query, fmt.Sprintf("per_page=%d", maxFiltered))
	}
	for _, a := range c.Query {
		name := sentName(c.Endpoint.Resource, a.Param)
		switch {
		case filtered && (name == "page" || name == "per_page"):
		case name == "" || a.IsDefault() && !a.Param.Sent && a.Param.Name != "hide_empty" || a.Param.Kind == mapping.DateTime:
		case strings.HasSuffix(name, "[]"):
			for value := range strings.SplitSeq(a.Text, ",") {
				query = append(query, url.QueryEscape(name)+"="+url.QueryEscape(value))
			}
		default:
			query = append(query, name+"="+url.QueryEscape(valueOf(a)))
		}
	}
	bounds, _ := boundsOf(c)
	for _, b := range bounds {
		query = append(query, b.name+"="+url.QueryEscape(b.value))
	}
	return query
}

// valueOf returns the value of a parameter in the form that the backend reads.
func valueOf(a mapping.Arg) string {
	yes, isBool := mapping.ParseBool(a.Text)
	name := a.Param.Name
	switch {
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

// anyStatus lists the statuses for "any". Clients that may not edit get only published items.
const anyStatus = "publish,pending,draft,future,private"

// The successor compares dates to the second and has no default window. The successor's start_date and end_date
// have another meaning: both exclude an event that began before the window. The table's start_date and end_date
// are the successor's ends_after and starts_before.

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
		next := bound{name: sentName(c.Endpoint.Resource, p), value: value}
		index := slices.IndexFunc(bounds, func(b bound) bool { return b.name == next.name })
		if index < 0 {
			bounds = append(bounds, next)
			continue
		}
		previous := bounds[index].value
		ok = ok && dates.IsCanonical(previous) && dates.IsCanonical(next.value)
		later := next.value > previous
		if later == strings.HasSuffix(next.name, "_after") {
			bounds[index] = next
		}
	}
	return bounds, ok
}

// wholeDay returns the beginning or the end of the day that a date is in. An instant is not changed: the day of
// an instant depends on the zone.
func wholeDay(s string, begin bool) string {
	clock := " 23:59:59"
	if begin {
		clock = " 00:00:00"
	}
	day, _, _ := strings.Cut(s, " ")
	switch {
	case dates.IsCanonical(s), s == defaultWindow["start_date"]:
		return day + clock
	case dates.IsTimeOfDay(s):
		return "today" + clock
	case strings.Contains(s, ":") || dates.KindOf(s) == dates.Instant:
		return s
	}
	return s + clock
}
