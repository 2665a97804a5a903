package tec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// converter makes items in the table's shapes.
type converter struct {
	place  string                               // namespace of the backend
	beside map[string]map[string]jsontext.Value // terms and images by resource, or "", and id
	zones  map[string]*time.Location            // by name, nil for an unknown one
}

// know stores the terms or images of a response.
func (m *converter) know(reply mapping.Reply) error {
	items, err := jsonscan.Elements(reply.Body)
	if err != nil || !jsonscan.IsValid(reply.Body) {
		return errShape
	}
	for _, item := range items {
		kind := ""
		switch jsonscan.Text(jsonscan.Get(item, "taxonomy")) {
		case "":
		case "post_tag":
			kind = "tags"
		default:
			kind = "categories"
		}
		if m.beside[kind] == nil {
			m.beside[kind] = map[string]jsontext.Value{}
		}
		m.beside[kind][string(jsonscan.Get(item, mapping.IDParam.Name))] = item
	}
	return nil
}

// maker makes an attribute from the member there; nil leaves it out.
type maker func(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value

// attribute is an attribute of the table, and what it is made from.
type attribute struct {
	name  string
	there string // a member, or one of a member's: "title.rendered"
	make  maker
}

// embeddedTerm is a term inside an event, which the table has with less.
const embeddedTerm = "term inside"

// shapes are the items, in the order of the table.
var shapes map[string][]attribute

func init() {
	head := []attribute{
		{"author", "author", inQuotes}, {"status", "status", same},
		{"date", "date", dayTime}, {"date_utc", "date_gmt", dayTime}, {"modified", "modified", dayTime}, {"modified_utc", "modified_gmt", dayTime},
		{"url", "link", same},
	}
	global := []attribute{{"global_id", "link", globalID}, {"global_id_lineage", "link", lineage}}
	place := []attribute{
		{"description", "content.rendered", filled}, {"excerpt", "excerpt.rendered", filled}, {"slug", "slug", filled}, {"image", "featured_media", someImage},
	}
	join := func(lists ...[]attribute) (all []attribute) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	one := []attribute{{"id", "id", same}}
	shapes = map[string][]attribute{
		"events": join(one, global, head, []attribute{
			{"rest_url", "id", restURL}, {"title", "title.rendered", same}, {"description", "content.rendered", trimmed},
			{"excerpt", "excerpt.rendered", trimmed}, {"slug", "slug", same}, {"image", "featured_media", image}, {"all_day", "all_day", same},
			{"start_date", "start_date", same}, {"start_date_details", "start_date", details}, {"end_date", "end_date", same}, {"end_date_details", "end_date", details},
			{"utc_start_date", "start_date_utc", same}, {"utc_start_date_details", "start_date_utc", details}, {"utc_end_date", "end_date_utc", same}, {"utc_end_date_details", "end_date_utc", details},
			{"timezone", "timezone", same}, {"timezone_abbr", "timezone", zoneAbbr}, {"cost", "cost", same}, {"cost_details", "cost", costDetails},
			{"website", "", always(`""`)}, {"show_map", "", always("null")}, {"show_map_link", "", always("null")}, {"hide_from_listings", "", always("null")},
			{"sticky", "sticky", same}, {"featured", "featured", same},
			{"categories", "tribe_events_cat", termsOf("categories")}, {"tags", "tags", termsOf("tags")},
			{"venue", "venues", oneOrSeveral}, {"organizer", "organizers", several("organizers")}, {"custom_fields", "", always("[]")},
		}),
		"venues": join(one, head, []attribute{{"venue", "title.rendered", same}}, place, []attribute{
			{"address", "address", filled}, {"city", "city", filled}, {"country", "country", filled}, {"province", "province", filled}, {"state", "state", filled},
			{"stateprovince", "state_province", filled}, {"zip", "zip", filled}, {"phone", "phone", filled}, {"website", "website", filled},
			{"show_map", "", always("null")}, {"show_map_link", "", always("null")},
		}, global),
		"organizers": join(one, head, []attribute{{"organizer", "title.rendered", same}}, place, []attribute{
			{"phone", "phone", filled}, {"website", "website", filled}, {"email", "email", filled},
		}, global),
		"categories": {
			{"id", "id", same}, {"count", "count", same}, {"description", "description", same}, {"name", "name", same}, {"slug", "slug", same},
			{"taxonomy", "taxonomy", same}, {"parent", "parent", same}, {"meta", "meta", same}, {"url", "link", same}, {"urls", "id", termURLs},
		},
	}
	shapes["tags"] = shapes["categories"]
	shapes[embeddedTerm] = slices.DeleteFunc(slices.Clone(shapes["tags"]), func(a attribute) bool { return a.name == "meta" || a.name == "url" })
}

// item makes an item of a resource.
func (m *converter) item(resource string, body jsontext.Value) (jsontext.Value, error) {
	return m.shaped(resource, shapes[resource], body)
}

func (m *converter) shaped(resource string, shape []attribute, body jsontext.Value) (jsontext.Value, error) {
	members, err := jsonscan.Members(body)
	if err != nil {
		return nil, err
	}
	locked := isLocked(members["content"])
	out := []byte{'{'}
	for _, a := range shape {
		name, inner, _ := strings.Cut(a.there, ".")
		there := members[name]
		if inner != "" {
			there = jsonscan.Get(there, inner)
		}
		v := a.make(m, resource, members, there)
		if hidden, ok := hiddenByPassword[resource][a.name]; ok && locked && (v != nil || a.name == "description") {
			v = jsontext.Value(hidden)
		}
		if len(v) == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, jsonscan.Quote(a.name)+":"...), v...)
	}
	return append(out, '}'), nil
}

// noDate is WordPress's date for none.
const noDate = `"0000-00-00 00:00:00"`

// hiddenByPassword is what a password hides, as the table has it then. The successor also hides
// the dates, which the legacy shows. What is empty here is left out.
var hiddenByPassword = map[string]map[string]string{
	"events": {
		"description": `""`, "excerpt": `""`, "image": "false", "all_day": "null", "cost": `""`,
		"cost_details": `{"currency_symbol":"","currency_position":"","values":[]}`, "sticky": "null", "featured": "null",
		"categories": "[]", "tags": "[]", "venue": "[]", "organizer": "[]",
		"start_date": noDate, "end_date": noDate, "utc_start_date": noDate, "utc_end_date": noDate, "timezone": `""`, "timezone_abbr": `""`,
	},
	"venues": {
		"venue": "[]", "description": `""`, "address": `""`, "city": `""`, "country": `""`, "province": `""`, "state": `""`,
		"stateprovince": `""`, "zip": `""`, "phone": `""`, "website": `""`, "excerpt": "", "image": "",
	},
	"organizers": {"organizer": "[]", "description": `""`, "excerpt": "", "image": "", "phone": `""`, "website": `""`, "email": `""`},
}

// isLocked reports whether a password hides an item from the client. Every field has a text that
// says so then, and protected is null; with the password it is true (recordings
// tec/events-read-password and tec/events-read-password-right).
func isLocked(content jsontext.Value) bool {
	return jsonscan.Get(content, "protected").Kind() == jsontext.KindNull
}

// restLink is a link in the backend's namespace, without the host, which is unknown.
func (m *converter) restLink(path ...string) jsontext.Value {
	return jsontext.Value(jsonscan.Quote("/" + m.place + "/" + strings.Join(path, "/")))
}

func restURL(m *converter, resource string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	return m.restLink(resource, string(v))
}

func termURLs(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	urls := fmt.Sprintf(`"self":%s,"collection":%s`, m.restLink(resource, string(v)), m.restLink(resource))
	if parent := item["parent"]; parent.Kind() == jsontext.KindNumber && string(parent) != "0" {
		urls += fmt.Sprintf(`,"up":%s`, m.restLink(resource, string(parent)))
	}
	return jsontext.Value("{" + urls + "}")
}
