package tec

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// always is an attribute that there is nothing of.
func always(value string) maker {
	return func(*converter, string, map[string]jsontext.Value, jsontext.Value) jsontext.Value {
		return jsontext.Value(value)
	}
}

func same(_ *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	return v
}

// inQuotes returns a number as a string.
func inQuotes(_ *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	if v.Kind() != jsontext.KindNumber {
		return v
	}
	return jsontext.Value(`"` + string(v) + `"`)
}

// dayTime returns a date with a space where it has a T.
func dayTime(_ *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	return bytes.Replace(v, []byte("T"), []byte(" "), 1)
}

// trimmed returns text without white space at its ends, itself if it has none.
func trimmed(_ *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	s := jsonscan.Text(v)
	if t := strings.TrimSpace(s); t != s {
		return jsontext.Value(jsonscan.Quote(t))
	}
	return v
}

// filled leaves an empty text out.
func filled(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	if v = trimmed(m, resource, item, v); jsonscan.Text(v) == "" {
		return nil
	}
	return v
}

func details(_ *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	t, err := time.Parse(time.DateTime, jsonscan.Text(v))
	if err != nil {
		return jsontext.Value(`{"year":"0000","month":"00","day":"00","hour":"00","minutes":"00","seconds":"00"}`)
	}
	return jsontext.Value(t.Format(`{"year":"2006","month":"01","day":"02","hour":"15","minutes":"04","seconds":"05"}`))
}

// zoneAbbr returns what the clocks of the zone call themselves when the event
// starts: letters, or an offset where they have none.
func zoneAbbr(m *converter, _ string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	start, err := time.Parse(time.DateTime, jsonscan.Text(item["start_date_utc"]))
	if err != nil {
		return jsontext.Value(`""`)
	}
	if zone := m.zone(jsonscan.Text(v)); zone != nil {
		return jsontext.Value(jsonscan.Quote(start.In(zone).Format("MST")))
	}
	local, err := time.Parse(time.DateTime, jsonscan.Text(item["start_date"]))
	if err != nil {
		return jsontext.Value(`""`)
	}
	return jsontext.Value(jsonscan.Quote(start.In(time.FixedZone("", int(local.Sub(start).Seconds()))).Format("-0700")))
}

// zone returns a zone of the database that Go has; nil for a name that is none. Go
// reads that from files, on each call: so a zone is cached as long as its
// answer is converted. It is not kept longer, for then backends, who choose the
// names, would choose how much is kept.
func (m *converter) zone(name string) *time.Location {
	zone, known := m.zones[name]
	if !known && name != "" && name != "Local" {
		zone, _ = time.LoadLocation(name)
	}
	m.zones[name] = zone
	return zone
}

// costDetails reads off the text of a price what it has: a symbol and a number.
func costDetails(_ *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	cost := jsonscan.Text(v)
	symbol, position, values := "", "", ""
	isPrice := func(r rune) bool { return unicode.IsDigit(r) || r == '.' || r == ',' }
	number := strings.TrimFunc(cost, func(r rune) bool { return !unicode.IsDigit(r) })
	if before, after, ok := strings.Cut(cost, number); ok && number != "" && strings.IndexFunc(number, func(r rune) bool { return !isPrice(r) }) < 0 {
		before, after = strings.TrimSpace(before), strings.TrimSpace(after)
		switch values = number; {
		case before != "" && after == "":
			symbol, position = before, "prefix"
		case after != "" && before == "":
			symbol, position = after, "postfix"
		}
	} else {
		values = strings.ToLower(cost)
	}
	list := "[]"
	if values != "" {
		list = "[" + jsonscan.Quote(values) + "]"
	}
	return jsontext.Value(fmt.Sprintf(`{"currency_symbol":%s,"currency_position":%s,"values":%s}`, jsonscan.Quote(symbol), jsonscan.Quote(position), list))
}

// globalID is the host of the item's page and its id.
func globalID(_ *converter, _ string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	host := ""
	if u, err := url.Parse(jsonscan.Text(v)); err == nil {
		host = u.Hostname()
	}
	return jsontext.Value(jsonscan.Quote(host + "?id=" + string(item[mapping.IDParam.Name])))
}

func lineage(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	return jsontext.Value("[" + string(globalID(m, resource, item, v)) + "]")
}

// termsOf makes the terms of a list of ids, of those that may be seen.
func termsOf(resource string) maker {
	return func(m *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
		var terms []string
		ids, _ := jsonscan.Elements(v)
		for _, one := range ids {
			if term, ok := m.beside[resource][string(one)]; ok {
				made, err := m.shaped(resource, shapes[embeddedTerm], term)
				if err == nil {
					terms = append(terms, string(made))
				}
			}
		}
		return jsontext.Value("[" + strings.Join(terms, ",") + "]")
	}
}

func several(resource string) maker {
	return func(m *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
		items, _ := jsonscan.Elements(v)
		made := make([]string, 0, len(items))
		for _, item := range items {
			if one, err := m.item(resource, item); err == nil {
				made = append(made, string(one))
			}
		}
		return jsontext.Value("[" + strings.Join(made, ",") + "]")
	}
}

// oneOrSeveral returns a venue that is the only one without the list around it.
func oneOrSeveral(m *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	list := several("venues")(m, "", nil, v)
	if items, _ := jsonscan.Elements(list); len(items) == 1 {
		return items[0]
	}
	return list
}

// image makes the image of an item; false if there is none, or none to be seen.
func image(m *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	media := m.beside[""][string(v)]
	file, about := jsonscan.Get(media, "source_url"), jsonscan.Get(media, "media_details")
	if file == nil {
		return jsontext.Value("false")
	}
	extension := strings.TrimPrefix(path.Ext(jsonscan.Text(file)), ".")
	out := fmt.Sprintf(`"url":%s,"id":%s,"extension":%s`, file, v, jsonscan.Quote(extension))
	for _, name := range []string{"width", "height", "filesize"} {
		if n := jsonscan.Get(about, name); n != nil {
			out += "," + jsonscan.Quote(name) + ":" + string(n)
		}
	}
	return jsontext.Value("{" + out + `,"sizes":` + imageSizes(jsonscan.Get(about, "sizes")) + "}")
}

func someImage(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	if made := image(m, resource, item, v); made.Kind() == jsontext.KindBeginObject {
		return made
	}
	return nil
}

// imageSizes returns the sizes that were cut; "full" is the image itself.
func imageSizes(v jsontext.Value) string {
	sizes := []string{}
	_ = jsonscan.EachMember(v, func(name string, size jsontext.Value) error { // a list has none
		width, height := jsonscan.Get(size, "width"), jsonscan.Get(size, "height")
		if name == "full" || width == nil || height == nil {
			return nil
		}
		out := fmt.Sprintf(`"width":%s,"height":%s`, width, height)
		for _, pair := range [][2]string{{"mime-type", "mime_type"}, {"filesize", "filesize"}, {"url", "source_url"}} {
			if value := jsonscan.Get(size, pair[1]); value != nil {
				out += "," + jsonscan.Quote(pair[0]) + ":" + string(value)
			}
		}
		sizes = append(sizes, jsonscan.Quote(name)+":{"+out+"}")
		return nil
	})
	return "{" + strings.Join(sizes, ",") + "}"
}

var errShape = errors.New("the answer has another shape")
