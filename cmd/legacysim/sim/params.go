package sim

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// params are the parameters of a request, whatever they came in. Values are
// string, json.Number, bool, nil, []any or map[string]any.
type params map[string]any

// merge lets those of q win.
func (p params) merge(q params) {
	for k, v := range q {
		p[k] = v
	}
}

// given says whether there is a value and it is not null.
func (p params) given(name string) bool { return p[name] != nil }

func (p params) str(name string) string { return scalar(p[name]) }

// int is 0 for what is no number, as PHP's cast.
func (p params) int(name string) int {
	n, err := strconv.Atoi(p.str(name))
	if err != nil {
		return 0
	}
	return n
}

func (p params) bool(name string) bool { return truthy(p[name]) }

// list reads an array, or a string with commas, or one scalar.
func (p params) list(name string) []string { return stringList(p[name]) }

func (p params) ints(name string) []int {
	var out []int
	for _, s := range p.list(name) {
		n, _ := strconv.Atoi(s)
		out = append(out, n)
	}
	return out
}

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
	case []any:
		for _, item := range v {
			out = append(out, scalar(item))
		}
	default:
		for s := range strings.SplitSeq(scalar(v), ",") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// parseQuery reads a query or form as PHP does: the last of a name wins,
// name[] and name[k] make arrays.
func parseQuery(raw string) params {
	p := params{}
	for part := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(part, "=")
		if name = unescape(name); name != "" {
			p.set(name, unescape(value))
		}
	}
	return p
}

func unescape(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		s = u
	}
	return validUTF8(s)
}

// validUTF8 puts a question mark for every byte that is out of place.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r == utf8.RuneError {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// set knows one level of brackets, which is all that the site's clients send.
func (p params) set(name, value string) {
	base, key, ok := strings.Cut(name, "[")
	key, closed := strings.CutSuffix(key, "]")
	switch {
	case !ok || !closed || base == "":
		p[name] = value
	case isIndex(key):
		items, _ := p[base].([]any)
		p[base] = append(items, value)
	default:
		fields, _ := p[base].(map[string]any)
		if fields == nil {
			fields = map[string]any{}
		}
		fields[key] = value
		p[base] = fields
	}
}

func isIndex(key string) bool {
	_, err := strconv.Atoi(key)
	return key == "" || err == nil
}
