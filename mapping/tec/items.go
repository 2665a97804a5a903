package tec

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// item makes an item of a resource in the table's shape. A term inside an event has fewer attributes.
func (m *converter) item(resource string, body jsontext.Value, inside bool) (jsontext.Value, error) {
	members, err := jsonscan.Members(body)
	if err != nil {
		return nil, err
	}
	locked := isLocked(members["content"])
	for name, v := range members {
		rendered := jsonscan.Get(v, "rendered")
		if rendered != nil {
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
		v := m.attribute(resource, members, a, locked)
		if len(v) > 0 {
			out = append(out, jsonscan.Quote(a.Name)+":"+string(v))
		}
	}
	return jsontext.Value("{" + strings.Join(out, ",") + "}"), nil
}

// notInside are the attributes that a term inside an event lacks.
var notInside = []string{"meta", mapping.PageURLName}

// attribute makes an attribute of an item by the type in the table; nil leaves the attribute out.
func (m *converter) attribute(resource string, item map[string]jsontext.Value, a *mapping.Attribute, locked bool) jsontext.Value {
	name := nameOf(resource, a.Name)
	v := item[name]
	id := string(item[mapping.IDParam.Name])
	isText := v.Kind() == jsontext.KindString || v.Kind() == jsontext.KindNull
	switch {
	case a.Name == "global_id":
		return globalID(item)
	case a.Name == "global_id_lineage":
		return jsontext.Value("[" + string(globalID(item)) + "]")
	case a.Name == "rest_url":
		return m.restLink(resource, id)
	case a.Name == "urls":
		return m.termURLs(resource, id, item["parent"])
	case a.Name == "image":
		return m.image(v, a.Optional)
	case a.Name == "timezone_abbr":
		return zoneAbbr(item)
	case a.Name == "cost_details":
		return costDetails(jsonscan.Text(item["cost"]))
	case strings.HasSuffix(a.Name, "_details"):
		return details(item[nameOf(resource, strings.TrimSuffix(a.Name, "_details"))])
	case a.Resource != "":
		return m.inside(a, v)
	case a.Type == mapping.Digits && v.Kind() == jsontext.KindNumber:
		return jsontext.Value(`"` + string(v) + `"`)
	case isLacking(resource, a.Name), locked && (a.Type == mapping.Hidden || jsonscan.Text(v) == "" && (v != nil || !a.Optional)):
		return emptied(a)
	case a.Type == mapping.DayTime:
		return bytes.Replace(v, []byte("T"), []byte(" "), 1)
	case a.Optional && isText:
		v = trimmed(v)
		if jsonscan.Text(v) == "" {
			return nil
		}
		return v
	case name == "content" || name == "excerpt":
		return trimmed(v)
	}
	return v
}

// inside makes the items inside an event, from a list of items or ids. Terms that the client may not read are
// left out.
func (m *converter) inside(a *mapping.Attribute, v jsontext.Value) jsontext.Value {
	var objects []jsontext.Value
	items, _ := jsonscan.Elements(v)
	for _, item := range items {
		if termPaths[a.Resource] != "" {
			item = m.related[mapping.Item{Resource: a.Resource, ID: string(item)}]
		}
		if object, err := m.item(a.Resource, item, true); err == nil {
			objects = append(objects, object)
		}
	}
	if a.Type == mapping.OneOrSeveral && len(objects) == 1 {
		return objects[0]
	}
	return jsontext.Value(jsonscan.List(objects))
}

// shownLocked are the members of an item that a password does not hide.
var shownLocked = []string{"id", "author", "status", "date", "date_gmt", "modified", "modified_gmt", "link", "title", "slug"}

// hide empties the members that a password hides, and that have notices as texts. The successor also hides
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

// isLocked reports whether a password hides an item from the client. Then every field has a notice instead of
// the text, and protected is null; with the password protected is true (recordings tec/events-read-password and
// tec/events-read-password-right).
func isLocked(content jsontext.Value) bool {
	return jsonscan.Get(content, "protected").Kind() == jsontext.KindNull
}
