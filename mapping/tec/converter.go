package tec

import (
	"errors"
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

// maker makes an attribute from v, a member of the successor's item; nil leaves it out.
type maker func(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value

// attribute is an attribute of the table, with what it is made from.
type attribute struct {
	name  string
	there string // a member of the successor's item, or one inside: "title.rendered"
	make  maker
}

// embeddedTerm names the shape of a term inside an event, which has fewer attributes.
const embeddedTerm = "term inside"

// shapes are the attributes of items by resource, in the order of the table.
var shapes map[string][]attribute

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

// zone returns a zone of Go's time zone database; nil for an unknown name. Go reads it from
// files on each call, so it is cached while a response is converted. It is not cached longer,
// because backends choose the names, and so would choose how much memory they take.
func (m *converter) zone(name string) *time.Location {
	zone, known := m.zones[name]
	if !known && name != "" && name != "Local" {
		zone, _ = time.LoadLocation(name)
	}
	m.zones[name] = zone
	return zone
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

// hiddenByPassword are the values of the attributes that a password hides; "" leaves the
// attribute out. The successor also hides the dates, which the legacy shows.
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

// isLocked reports whether a password hides an item from the client. Then every field has a
// notice in place of its text, and protected is null; with the password protected is true
// (recordings tec/events-read-password and tec/events-read-password-right).
func isLocked(content jsontext.Value) bool {
	return jsonscan.Get(content, "protected").Kind() == jsontext.KindNull
}

// restLink is a link in the backend's namespace, without the host, which is unknown.
func (m *converter) restLink(path ...string) jsontext.Value {
	return jsontext.Value(jsonscan.Quote("/" + m.place + "/" + strings.Join(path, "/")))
}

var errShape = errors.New("the response has another shape")

// noDate is what WordPress has in place of a date that is not set.
const noDate = `"0000-00-00 00:00:00"`
