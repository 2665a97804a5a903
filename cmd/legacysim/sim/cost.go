package sim

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	costNumber = regexp.MustCompile(`\d+(?:[.,]\d*)?|[.,]\d+`)
	thousands  = regexp.MustCompile(`^\d+,\d{3}$`)
	costPrefix = regexp.MustCompile(`^([^\d\s\pL.,<|]+)\s*\d[\d.,]*$`)
)

// costText puts the symbol of the currency before each number, shows several as a
// range, and leaves words alone.
func costText(e *eventData, lang *language) string {
	symbol := cmp.Or(e.symbol, lang.symbol)
	numbers := costNumbers(e.cost)
	switch {
	case e.cost == "0":
		return "Free"
	case len(numbers) == 0:
		return e.cost
	case len(numbers) == 1:
		return symbol + numbers[0]
	}
	return symbol + numbers[0] + " – " + symbol + numbers[len(numbers)-1]
}

// costNumbers are the numbers in a cost, each once, the smallest first.
func costNumbers(cost string) []string {
	numbers := costNumber.FindAllString(cost, -1)
	slices.SortFunc(numbers, func(a, b string) int { return cmp.Compare(amount(a), amount(b)) })
	return slices.Compact(numbers)
}

func amount(number string) float64 {
	f, _ := strconv.ParseFloat(plainNumber(number), 64)
	return f
}

// plainNumber is a number with a point where it has a comma, and without one
// between thousands.
func plainNumber(s string) string {
	if thousands.MatchString(s) {
		return strings.ReplaceAll(s, ",", "")
	}
	return strings.ReplaceAll(s, ",", ".")
}

func costDetails(e *eventData) object {
	position, values := "", list{}
	if e.symbol != "" {
		position = "prefix"
	}
	for _, n := range costNumbers(e.cost) {
		values = append(values, plainNumber(n))
	}
	if len(values) == 0 && e.cost != "" {
		values = list{slugify(e.cost)}
	}
	return object{{"currency_symbol", e.symbol}, {"currency_code", ""}, {"currency_position", position}, {"values", values}}
}

// writtenCost is what becomes of a cost on its way in: several are one text. A zero is
// nothing. A sign before the only number is taken for the currency.
func writtenCost(v any) (cost, symbol string) {
	var parts []string
	for _, item := range elements(v) {
		text := strings.TrimSpace(anyTag.ReplaceAllString(stripSlashes(scalar(item)), ""))
		if text != "" && text != "0" {
			parts = append(parts, text)
		}
	}
	cost = strings.Join(parts, "|")
	if m := costPrefix.FindStringSubmatch(cost); m != nil {
		return strings.TrimSpace(strings.TrimPrefix(cost, m[1])), m[1]
	}
	return cost, ""
}

// elements are those of a value that PHP casts to an array: an object has its values,
// in the order of their names.
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
	return slices.ContainsFunc(elements(v), func(item any) bool {
		switch item.(type) {
		case []any, map[string]any:
			return true
		}
		return false
	})
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
