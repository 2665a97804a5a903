package tec

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// Dialect is the REST API that the plugin has beside the legacy one since its
// version 6.15: its routes, parameters and fields are as in 6.17.2, as
// recorded from a real site. Its makers call it experimental and want that acknowledged, word
// for word, with every request.
//
// It has events, venues and organizers. Terms are read and written by WordPress's
// own wp/v2, and images are read there.
//
// What it does not have, and calls for which are refused (see [mapping.Lacking]):
//   - the filters include, geoloc, geoloc_lat, geoloc_lng and ticketed of events, has_events and
//     only_with_upcoming of venues and organizers: it ignores them, also those that it declares
//   - the fields website, show_map, show_map_link, hide_from_listings and image, terms
//     by name, venues and organizers described in place, and dates that depend on a clock
//   - creates of events, venues and organizers without status: it publishes them, also for a
//     contributor, whose events are drafts at the legacy
//   - the status future without a date, which it publishes, and titles of blanks
//   - updates that set featured or all_day to false, or remove the venue or the image
//
// What its responses lack is null or empty where the table requires it, and
// left out otherwise: an event's website, its map, custom_fields, json_ld.
var Dialect = &mapping.Dialect{
	Namespace:     "tec/v1",
	LanguageParam: "wpml_language",
	Header: http.Header{"X-Tec-Eea": {"I understand that this endpoint is experimental and may change in a future release " +
		"without maintaining backward compatibility. I also understand that I am using this endpoint at my own risk, " +
		"while support is not provided for it."}},
	Total:      "X-WP-Total",
	TotalPages: "X-WP-TotalPages",
	Vendor:     "tribe_",
	WordPress:  true,
	Client: func(b mapping.Backend, l mapping.Line) mapping.Client {
		return &client{Backend: b, line: l}
	},
}

// unsupported lists the parameters and fields of a call that the successor does not support: it would ignore them
// without an error.
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
		// Without a title it fails to create an item (recording tec/events-create-title-empty).
		nameless := nameOf(c.Endpoint.Resource, a.Param.Name) == "title" && strings.TrimSpace(a.Text) == ""
		// An item that is scheduled without a date is published (recordings tec/events-create-status-future and
		// tec/events-update-status-future).
		publishes := a.Param.Name == "status" && a.Text == "future" && !a.Preserved && !c.Named("date") && !c.Named("date_utc")
		if !ok || nameless || publishes {
			lacks = append(lacks, a.Param.Name)
		}
	}
	if c.Endpoint.Action == mapping.Create && termPaths[c.Endpoint.Resource] == "" && !c.Named("status") {
		lacks = append(lacks, "status") // it would publish, also for those who may not at the legacy
	}
	if _, ok := boundsOf(c); !ok {
		lacks = append(lacks, "start_date", "end_date")
	}
	return lacks
}

// request returns the request for a call, whose reads are done.
func (t *client) request(c *mapping.Call) mapping.Request {
	c = tribe.Slashed(t.IDs.Outgoing(c))
	terms := termPaths[c.Endpoint.Resource] != ""
	path := cmp.Or(termPaths[c.Endpoint.Resource], t.Dialect.Namespace+"/"+c.Endpoint.Resource)
	r := mapping.Request{Method: c.Method, Path: "/" + path, Header: t.Dialect.Header}
	if c.Item != "" {
		r.Path += "/" + c.Item
	}
	switch action := c.Endpoint.Action; {
	case !c.Endpoint.Writes():
		r.Query = strings.Join(queryOf(c), "&")
	case action != mapping.Delete:
		r.Method, r.Body = http.MethodPost, bodyOf(c)
		if action == mapping.Update && !terms {
			r.Method = http.MethodPut
		}
	case terms:
		r.Query = "force=true" // they have no trash
	}
	r.Query = t.WithLanguage(r.Query, t.line.Language)
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

// converter makes items in the table's shapes.
type converter struct {
	*client
	beside map[mapping.Item]jsontext.Value // terms, and images, which have no resource
}

// know stores the terms or images of a response.
func (m *converter) know(reply mapping.Reply) error {
	items, err := jsonscan.Elements(reply.Body)
	if err != nil || !jsonscan.IsValid(reply.Body) {
		return errShape
	}
	for _, item := range items {
		resource := taxonomies[jsonscan.Text(jsonscan.Get(item, "taxonomy"))]
		m.beside[mapping.Item{Resource: resource, ID: string(jsonscan.Get(item, mapping.IDParam.Name))}] = item
	}
	return nil
}

// taxonomies are WordPress's names of the resources with terms.
var taxonomies = map[string]string{"post_tag": "tags", "tribe_events_cat": "categories"}

// item makes an item of a resource in the table's shape. A term inside an event has fewer attributes.
func (m *converter) item(resource string, body jsontext.Value, inside bool) (jsontext.Value, error) {
	members, err := jsonscan.Members(body)
	if err != nil {
		return nil, err
	}
	locked := isLocked(members["content"])
	for name, v := range members {
		if rendered := jsonscan.Get(v, "rendered"); rendered != nil {
			members[name] = rendered
		}
	}
	if locked {
		hide(members)
	}
	var out []string
	shape := mapping.RowOf(resource, mapping.Read, false).Result
	for i := range shape.Attributes {
		a := &shape.Attributes[i]
		if inside && termPaths[resource] != "" && slices.Contains(notInside, a.Name) {
			continue
		}
		if v := m.attribute(resource, members, a, locked); len(v) > 0 {
			out = append(out, jsonscan.Quote(a.Name)+":"+string(v))
		}
	}
	return jsontext.Value("{" + strings.Join(out, ",") + "}"), nil
}

// notInside are the attributes that a term inside an event lacks.
var notInside = []string{"meta", mapping.PageURLName}

// shownLocked are the members of an item that a password does not hide.
var shownLocked = []string{"id", "author", "status", "date", "date_gmt", "modified", "modified_gmt", "link", "title", "slug"}

// hide empties the members that a password hides, whose texts are notices. The successor also hides
// the dates of an event, which the legacy shows.
func hide(members map[string]jsontext.Value) {
	for name, v := range members {
		switch {
		case slices.Contains(shownLocked, name):
		case name == "excerpt" || name == "featured_media" || jsonscan.Text(v) == "":
			delete(members, name)
		default:
			members[name] = jsontext.Value(`""`)
		}
	}
}

// isLocked reports whether a password hides an item from the client. Then every field has a
// notice instead of its text, and protected is null; with the password protected is true
// (recordings tec/events-read-password and tec/events-read-password-right).
func isLocked(content jsontext.Value) bool {
	return jsonscan.Get(content, "protected").Kind() == jsontext.KindNull
}

// restLink is a link in the backend's namespace, without the host, which is unknown.
func (m *converter) restLink(path ...string) jsontext.Value {
	return jsontext.Value(jsonscan.Quote("/" + m.Dialect.Namespace + "/" + strings.Join(path, "/")))
}

var errShape = errors.New("the response has another shape")

// noDate is WordPress's form of a date that is not set.
const noDate = `"0000-00-00 00:00:00"`
