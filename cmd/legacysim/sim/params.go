package sim

import (
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// params are the parameters of a request, whatever they came in. Values are
// string, json.Number, bool, nil, []any or map[string]any.
type params map[string]any

// isGiven reports whether there is a value other than null.
func (p params) isGiven(name string) bool { return p[name] != nil }

func (p params) str(name string) string { return scalar(p[name]) }

// int returns 0 for values that are no number, as PHP's cast does.
func (p params) int(name string) int {
	n, _ := number(p[name])
	return n
}

func (p params) bool(name string) bool { return truthy(p[name]) }

// list reads an array, or a string with commas, or one scalar.
func (p params) list(name string) []string { return stringList(p[name]) }

func (p params) ints(name string) []int {
	var out []int
	for _, s := range p.list(name) {
		out = append(out, atoi(s))
	}
	return out
}

// text returns a text of the request, unslashed, or nil.
func (p params) text(name string) *string {
	if !p.isGiven(name) {
		return nil
	}
	s := stripSlashes(p.str(name))
	return &s
}

// parseQuery reads a query as PHP does: the last of a name wins.
func parseQuery(raw string) params {
	p := params{}
	values, _ := url.ParseQuery(raw)
	for name, all := range values {
		p[name] = all[len(all)-1]
	}
	return p
}

// parseBody reads a JSON object. Any other valid JSON has no parameters.
func parseBody(body []byte) (params, error) {
	if len(body) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	fields, _ := v.(map[string]any)
	return fields, err
}

// The conversions by PHP of the values of a request.

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "1"
		}
	}
	return ""
}

func truthy(v any) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(scalar(v)))
}

func stringList(v any) []string {
	var out []string
	switch v := v.(type) {
	case nil:
	case []any, map[string]any:
		for _, item := range elements(v) {
			out = append(out, scalar(item))
		}
	default:
		for s := range strings.SplitSeq(scalar(v), ",") {
			s = strings.TrimSpace(s)
			if s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// elements returns the elements of a value that PHP casts to an array: an object becomes the values, in the
// order of their names.
func elements(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	case map[string]any:
		var out []any
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, v[name])
		}
		return out
	}
	return []any{v}
}

// termItems are the items of a list, of an object, or of a text with commas.
func termItems(v any) []any {
	s, isText := v.(string)
	if !isText {
		return elements(v)
	}
	var items []any
	for part := range strings.SplitSeq(s, ",") {
		items = append(items, part)
	}
	return items
}

// isEmpty is PHP's empty.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case bool:
		return !v
	case string:
		return v == "" || v == "0"
	case json.Number:
		f, err := v.Float64()
		return err == nil && f == 0
	}
	return len(elements(v)) == 0
}

// number reads a whole number, also from a text.
func number(v any) (int, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(scalar(v)), 64)
	if _, ok := v.(bool); ok || err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}
