package sim

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// params are the parameters of a request, whatever they came in. Values are
// string, json.Number, bool, nil, []any or map[string]any.
type params map[string]any

// has reports whether there is a value, which may be null.
func (p params) has(name string) bool {
	_, ok := p[name]
	return ok
}

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
	if !utf8.ValidString(s) { // each byte that is out of place
		s = strings.ReplaceAll(string([]rune(s)), "\ufffd", "?")
	}
	return s
}

// set reads the brackets of a name: one without a key, or with a number, is the next
// of a list.
func (p params) set(name, value string) {
	base, brackets, ok := strings.Cut(name, "[")
	if !ok || base == "" || !strings.HasSuffix(brackets, "]") {
		p[name] = value
		return
	}
	p[base] = nestedValue(p[base], strings.Split(strings.TrimSuffix(brackets, "]"), "]["), value)
}

// nestedValue adds a value below the keys of an existing one.
func nestedValue(into any, keys []string, value string) any {
	if len(keys) == 0 {
		return value
	}
	if isIndex(keys[0]) {
		items, _ := into.([]any)
		return append(items, nestedValue(nil, keys[1:], value))
	}
	fields, _ := into.(map[string]any)
	if fields == nil {
		fields = map[string]any{}
	}
	fields[keys[0]] = nestedValue(fields[keys[0]], keys[1:], value)
	return fields
}

func isIndex(key string) bool {
	_, err := strconv.Atoi(key)
	return key == "" || err == nil
}
