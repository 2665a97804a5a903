package sim

import (
	"cmp"
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
// nothing. A sign before the only number counts as the currency.
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
