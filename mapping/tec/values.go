package tec

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// always makes an attribute of which the successor has nothing.
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

// zoneAbbr returns the abbreviation of the event's zone at its start: letters, or an offset if
// the zone has none.
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

// costDetails reads the symbol and the number in the text of a price.
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
