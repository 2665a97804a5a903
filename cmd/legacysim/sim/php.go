package sim

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The conversions by PHP of the values of a request, which are in params.

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
			if s = strings.TrimSpace(s); s != "" {
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

// nested reports whether there are lists or objects inside a list or object, which is
// too much for the plugin.
func nested(v any) bool {
	return slices.ContainsFunc(elements(v), func(item any) bool { return !isScalar(item) })
}

// isScalar reports whether a value is no list and no object.
func isScalar(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return false
	}
	return true
}

// isEmpty is PHP's empty.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
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

var numeric = regexp.MustCompile(`^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$`)

// phpNumber reads the values that is_numeric accepts: numbers, and texts of numbers.
func phpNumber(v any) (float64, bool) {
	s := ""
	switch v := v.(type) {
	case json.Number:
		s = v.String()
	case string:
		s = v
	}
	if !numeric.MatchString(s) {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil
}

// number reads a whole number in any of the forms that PHP accepts. A number that no integer can hold becomes
// the nearest integer.
func number(v any) (int, bool) {
	f, ok := phpNumber(v)
	if !ok || f != math.Trunc(f) {
		return 0, false
	}
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt, true
	case f <= math.MinInt64:
		return math.MinInt, true
	}
	return int(f), true
}

// phpTrue is PHP's cast to a boolean, for which "false" is true.
func phpTrue(v any) bool {
	b, isBool := v.(bool)
	return isBool && b || !isBool && !isEmpty(v)
}

func isBoolean(v any) bool {
	_, isBool := v.(bool)
	return isBool || slices.Contains([]string{"0", "1", "true", "false"}, strings.ToLower(scalar(v)))
}
