package tec

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// converter makes items in the table's shapes.
type converter struct {
	*client
	related map[mapping.Item]jsontext.Value // terms, and images, which have no resource
}

// restLink is a link in the backend's namespace, without the host, which is unknown.
func (m *converter) restLink(path ...string) jsontext.Value {
	return jsontext.Value(jsonscan.Quote("/" + m.Dialect.Namespace + "/" + strings.Join(path, "/")))
}

// noDate is WordPress's form of a date that is not set.
const noDate = `"0000-00-00 00:00:00"`

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

// image makes the image with an id. An image that is missing, or that the client may not read, is false, or nil
// if optional.
func (m *converter) image(id jsontext.Value, optional bool) jsontext.Value {
	media := m.related[mapping.Item{ID: string(id)}]
	file := jsonscan.Get(media, "source_url")
	about := jsonscan.Get(media, "media_details")
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

// imageSizes returns the smaller versions of an image; "full" is the original image.
func imageSizes(v jsontext.Value) string {
	sizes := ""
	for name, size := range jsonscan.Each(v) { // a list has no members
		width := jsonscan.Get(size, "width")
		height := jsonscan.Get(size, "height")
		if name == "full" || width == nil || height == nil {
			continue
		}
		out := fmt.Sprintf(`{"width":%s,"height":%s`, width, height) + named("mime-type", jsonscan.Get(size, "mime_type")) +
			named("filesize", jsonscan.Get(size, "filesize")) + named("url", jsonscan.Get(size, "source_url")) + "}"
		sizes += named(name, jsontext.Value(out))
	}
	return "{" + strings.TrimPrefix(sizes, ",") + "}"
}

func (m *converter) termURLs(resource, id string, parent jsontext.Value) jsontext.Value {
	urls := fmt.Sprintf(`"self":%s,"collection":%s`, m.restLink(resource, id), m.restLink(resource))
	if parent.Kind() == jsontext.KindNumber && string(parent) != "0" {
		urls += fmt.Sprintf(`,"up":%s`, m.restLink(resource, string(parent)))
	}
	return jsontext.Value("{" + urls + "}")
}

// globalID is the host of the item's page, with the id.
func globalID(item map[string]jsontext.Value) jsontext.Value {
	host := ""
	if u, err := url.Parse(jsonscan.Text(item["link"])); err == nil {
		host = u.Hostname()
	}
	return jsontext.Value(jsonscan.Quote(host + "?id=" + string(item[mapping.IDParam.Name])))
}

// trimmed returns a text without leading and trailing white space, or v if nothing is trimmed.
func trimmed(v jsontext.Value) jsontext.Value {
	s := jsonscan.Text(v)
	t := strings.TrimSpace(s)
	if t != s {
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

// zoneAbbr returns the abbreviation of the event's zone at the start: letters, or an offset for a zone without
// letters.
func zoneAbbr(item map[string]jsontext.Value) jsontext.Value {
	start, err := time.Parse(time.DateTime, jsonscan.Text(item["start_date_utc"]))
	if err != nil {
		return jsontext.Value(`""`)
	}
	name := jsonscan.Text(item["timezone"])
	if zone, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return jsontext.Value(jsonscan.Quote(start.In(zone).Format("MST")))
	}
	local, err := time.Parse(time.DateTime, jsonscan.Text(item["start_date"]))
	if err != nil {
		return jsontext.Value(`""`)
	}
	return jsontext.Value(jsonscan.Quote(start.In(time.FixedZone("", int(local.Sub(start).Seconds()))).Format("-0700")))
}

// priceForm is a number with the text before and after.
var priceForm = regexp.MustCompile(`^(\D*)(\d(?:[\d.,]*\d)?)(\D*)$`)

// costDetails reads the symbol and the number in the text of a price.
func costDetails(cost string) jsontext.Value {
	symbol := ""
	position := ""
	values := strings.ToLower(cost)
	m := priceForm.FindStringSubmatch(cost)
	if m != nil {
		prefix := strings.TrimSpace(m[1])
		suffix := strings.TrimSpace(m[3])
		values = m[2]
		switch {
		case prefix != "" && suffix == "":
			symbol = prefix
			position = "prefix"
		case suffix != "" && prefix == "":
			symbol = suffix
			position = "postfix"
		}
	}
	list := "[]"
	if values != "" {
		list = "[" + jsonscan.Quote(values) + "]"
	}
	return jsontext.Value(fmt.Sprintf(`{"currency_symbol":%s,"currency_position":%s,"values":%s}`, jsonscan.Quote(symbol),
		jsonscan.Quote(position), list))
}
