package tec

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// references are the members of an item that name others by ids alone, and the paths of those.
var references = []struct{ member, path string }{
	{"tribe_events_cat", termPaths["categories"]},
	{"tags", termPaths["tags"]},
	{"featured_media", mediaPath},
}

// Beside returns the reads of the terms and images whose ids are in got: one for each hundred ids
// of a kind. For an error it returns the read that shows whether the item exists.
func (translator) Beside(b mapping.Backend, c *mapping.Call, got mapping.Reply) []mapping.Request {
	switch {
	case leavesOpen(c, got):
		// The tags of an item. The error has codePostUnknown if there is no such item (recording tec/wp-tags-post-unknown).
		return []mapping.Request{{
			Method: http.MethodGet, Path: "/" + termPaths["tags"], Header: b.Dialect.Header, Tries: true,
			Query: "post=" + b.IDs.There(c.Endpoint.Resource, c.Item) + "&per_page=1&_fields=id",
		}}
	case termPaths[c.Endpoint.Resource] != "", got.Status >= http.StatusBadRequest, c.Endpoint.Action == mapping.Delete:
		return nil
	}
	items := []jsontext.Value{got.Body}
	if c.Endpoint.Action == mapping.List {
		items, _ = jsonscan.Elements(got.Body)
	}
	if byTerms(c) != nil {
		items, _ = selected(b, c, items)
	}
	ids := make([][]string, len(references))
	for _, item := range items {
		collectIDs(item, ids)
	}
	var reads []mapping.Request
	for i, kind := range references {
		for some := range slices.Chunk(distinct(ids[i]), maxPerPage) {
			reads = append(reads, mapping.Request{
				Method: http.MethodGet,
				Path:   "/" + kind.path,
				Query:  fmt.Sprintf("include=%s&per_page=%d", strings.Join(some, "%2C"), maxPerPage),
				Header: b.Dialect.Header,
			})
		}
	}
	return reads
}

// distinct removes repeated ids. A response may have any number of them.
func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(ids, func(id string) bool {
		repeated := seen[id]
		seen[id] = true
		return repeated
	})
}

// collectIDs adds the ids that an item, and the venues and organizers inside, name.
func collectIDs(item jsontext.Value, ids [][]string) {
	members, err := jsonscan.Members(item)
	if err != nil {
		return
	}
	for i, kind := range references {
		values, _ := jsonscan.Elements(members[kind.member])
		for _, v := range append(values, members[kind.member]) {
			if s := string(v); v.Kind() == jsontext.KindNumber && s != "0" {
				ids[i] = append(ids[i], s)
			}
		}
	}
	for _, inside := range []string{"venues", "organizers"} {
		values, _ := jsonscan.Elements(members[inside])
		for _, v := range values {
			collectIDs(v, ids)
		}
	}
}

// Convert returns a response in the shape of the table.
func (translator) Convert(b mapping.Backend, c *mapping.Call, got mapping.Reply, beside []mapping.Reply) (mapping.Reply, error) {
	if got.Status >= http.StatusBadRequest {
		return failed(c, got, beside), nil
	}
	if !jsonscan.IsValid(got.Body) {
		return mapping.Reply{}, errShape
	}
	m := converter{place: b.Place(), beside: map[string]map[string]jsontext.Value{}, zones: map[string]*time.Location{}}
	for _, reply := range beside {
		if err := m.know(reply); err != nil {
			return mapping.Reply{}, err
		}
	}
	slug, isScan := c.Argument(&mapping.SlugParam)
	switch {
	case isScan:
		return scan(b, c, slug.Text, got)
	case c.Endpoint.Action == mapping.Delete:
		return m.deleted(c, got)
	case c.Endpoint.Action == mapping.List:
		return m.list(b, c, got)
	case c.Endpoint.Resource == "events" && c.Endpoint.Action == mapping.Read && isLocked(jsonscan.Get(got.Body, "content")):
		// The legacy does not show an event without its password (recording events/single-password).
		return refusal(http.StatusForbidden, "event-password-protected", "The requested event is not accessible without a password"), nil
	}
	item, err := m.item(c.Endpoint.Resource, got.Body, false)
	got.Body = item
	return got, err
}

// list makes a page of items.
func (m *converter) list(b mapping.Backend, c *mapping.Call, got mapping.Reply) (mapping.Reply, error) {
	items, total, err := counted(b, got)
	if err != nil {
		return mapping.Reply{}, err
	}
	last := mapping.ParseCount(got.Header.Get(b.Dialect.TotalPages))
	if names := byTerms(c); names != nil {
		if total > maxFiltered {
			return mapping.Reply{}, mapping.Lacking(names)
		}
		items, total = selected(b, c, items)
		if last = c.Pages(total); c.Page() > max(last, 1) {
			return refusal(http.StatusNotFound, mapping.Singular(c.Endpoint.Resource)+notFoundSuffix,
				"The requested page was not found."), nil
		}
	}
	made := make([]jsontext.Value, 0, len(items))
	for _, item := range items {
		one, err := m.item(c.Endpoint.Resource, item, false)
		if err != nil {
			return mapping.Reply{}, err
		}
		made = append(made, one)
	}
	return c.PageOf(b, made, total, last, got.Header), nil
}

// deleted makes the response to a deletion: for a post the item that was read before, now in the
// trash; for a term what WordPress returns of it.
func (m *converter) deleted(c *mapping.Call, got mapping.Reply) (mapping.Reply, error) {
	if termPaths[c.Endpoint.Resource] == "" {
		got.Body = jsonscan.With(c.Found, "status", `"trash"`)
		return got, nil
	}
	previous := jsonscan.Get(got.Body, "previous")
	if previous == nil {
		return mapping.Reply{}, errNoPrevious
	}
	item, err := m.item(c.Endpoint.Resource, previous, false)
	got.Body = item
	return got, err
}

// attribute makes an attribute of an item by its type in the table; nil leaves it out.
func (m *converter) attribute(resource string, item map[string]jsontext.Value, a *mapping.Attribute, locked bool) jsontext.Value {
	there := nameOf(resource, a.Name)
	v, id := item[there], string(item[mapping.IDParam.Name])
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
		return m.zoneAbbr(item)
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
		if v = trimmed(v); jsonscan.Text(v) == "" {
			return nil
		}
		return v
	case there == "content" || there == "excerpt":
		return trimmed(v)
	}
	return v
}

// emptied is the value of an attribute that the successor lacks or hides.
func emptied(a *mapping.Attribute) jsontext.Value {
	switch {
	case a.Null:
		return jsontext.Value("null")
	case a.Type == mapping.DayTime:
		return jsontext.Value(noDate)
	case a.Type == mapping.Hidden, a.Type == mapping.Free:
		return jsontext.Value("[]")
	case a.Type == mapping.String:
		return jsontext.Value(`""`)
	}
	return nil
}

// inside makes the items inside an event, from a list of them or of their ids. It leaves out terms that the
// client may not read.
func (m *converter) inside(a *mapping.Attribute, v jsontext.Value) jsontext.Value {
	var made []jsontext.Value
	items, _ := jsonscan.Elements(v)
	for _, item := range items {
		if termPaths[a.Resource] != "" {
			item = m.beside[a.Resource][string(item)]
		}
		if one, err := m.item(a.Resource, item, true); err == nil {
			made = append(made, one)
		}
	}
	if a.Type == mapping.OneOrSeveral && len(made) == 1 {
		return made[0]
	}
	return jsontext.Value(jsonscan.List(made))
}

// image makes the image with an id; if there is none, or the client may not read it, false, or nothing
// where it is optional.
func (m *converter) image(id jsontext.Value, optional bool) jsontext.Value {
	media := m.beside[""][string(id)]
	file, about := jsonscan.Get(media, "source_url"), jsonscan.Get(media, "media_details")
	switch {
	case file == nil && optional:
		return nil
	case file == nil:
		return jsontext.Value("false")
	}
	extension := strings.TrimPrefix(path.Ext(jsonscan.Text(file)), ".")
	out := fmt.Sprintf(`"url":%s,"id":%s,"extension":%s`, file, id, jsonscan.Quote(extension))
	for _, name := range []string{"width", "height", "filesize"} {
		out += named(name, jsonscan.Get(about, name))
	}
	return jsontext.Value("{" + out + `,"sizes":` + imageSizes(jsonscan.Get(about, "sizes")) + "}")
}

// named returns a further member of an object; "" for nil.
func named(name string, value jsontext.Value) string {
	if value == nil {
		return ""
	}
	return "," + jsonscan.Quote(name) + ":" + string(value)
}

// imageSizes returns the smaller versions of an image; "full" is the image itself.
func imageSizes(v jsontext.Value) string {
	sizes := ""
	_ = jsonscan.EachMember(v, func(name string, size jsontext.Value) error { // a list has none
		width, height := jsonscan.Get(size, "width"), jsonscan.Get(size, "height")
		if name == "full" || width == nil || height == nil {
			return nil
		}
		out := fmt.Sprintf(`{"width":%s,"height":%s`, width, height) + named("mime-type", jsonscan.Get(size, "mime_type")) +
			named("filesize", jsonscan.Get(size, "filesize")) + named("url", jsonscan.Get(size, "source_url")) + "}"
		sizes += named(name, jsontext.Value(out))
		return nil
	})
	return "{" + strings.TrimPrefix(sizes, ",") + "}"
}

func (m *converter) termURLs(resource, id string, parent jsontext.Value) jsontext.Value {
	urls := fmt.Sprintf(`"self":%s,"collection":%s`, m.restLink(resource, id), m.restLink(resource))
	if parent.Kind() == jsontext.KindNumber && string(parent) != "0" {
		urls += fmt.Sprintf(`,"up":%s`, m.restLink(resource, string(parent)))
	}
	return jsontext.Value("{" + urls + "}")
}

// globalID is the host of the item's page and its id.
func globalID(item map[string]jsontext.Value) jsontext.Value {
	host := ""
	if u, err := url.Parse(jsonscan.Text(item["link"])); err == nil {
		host = u.Hostname()
	}
	return jsontext.Value(jsonscan.Quote(host + "?id=" + string(item[mapping.IDParam.Name])))
}

// trimmed returns text without white space at its ends, itself if it has none.
func trimmed(v jsontext.Value) jsontext.Value {
	s := jsonscan.Text(v)
	if t := strings.TrimSpace(s); t != s {
		return jsontext.Value(jsonscan.Quote(t))
	}
	return v
}

func details(v jsontext.Value) jsontext.Value {
	t, err := time.Parse(time.DateTime, jsonscan.Text(v))
	if err != nil {
		return jsontext.Value(`{"year":"0000","month":"00","day":"00","hour":"00","minutes":"00","seconds":"00"}`)
	}
	return jsontext.Value(t.Format(`{"year":"2006","month":"01","day":"02","hour":"15","minutes":"04","seconds":"05"}`))
}

// zoneAbbr returns the abbreviation of the event's zone at its start: letters, or an offset if
// the zone has none.
func (m *converter) zoneAbbr(item map[string]jsontext.Value) jsontext.Value {
	start, err := time.Parse(time.DateTime, jsonscan.Text(item["start_date_utc"]))
	if err != nil {
		return jsontext.Value(`""`)
	}
	if zone := m.zone(jsonscan.Text(item["timezone"])); zone != nil {
		return jsontext.Value(jsonscan.Quote(start.In(zone).Format("MST")))
	}
	local, err := time.Parse(time.DateTime, jsonscan.Text(item["start_date"]))
	if err != nil {
		return jsontext.Value(`""`)
	}
	return jsontext.Value(jsonscan.Quote(start.In(time.FixedZone("", int(local.Sub(start).Seconds()))).Format("-0700")))
}

// priceForm is a number with what stands before and behind it.
var priceForm = regexp.MustCompile(`^(\D*)(\d(?:[\d.,]*\d)?)(\D*)$`)

// costDetails reads the symbol and the number in the text of a price.
func costDetails(cost string) jsontext.Value {
	symbol, position, values := "", "", strings.ToLower(cost)
	if m := priceForm.FindStringSubmatch(cost); m != nil {
		before, after := strings.TrimSpace(m[1]), strings.TrimSpace(m[3])
		switch values = m[2]; {
		case before != "" && after == "":
			symbol, position = before, "prefix"
		case after != "" && before == "":
			symbol, position = after, "postfix"
		}
	}
	list := "[]"
	if values != "" {
		list = "[" + jsonscan.Quote(values) + "]"
	}
	return jsontext.Value(fmt.Sprintf(`{"currency_symbol":%s,"currency_position":%s,"values":%s}`, jsonscan.Quote(symbol),
		jsonscan.Quote(position), list))
}
