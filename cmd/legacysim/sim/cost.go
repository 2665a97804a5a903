package sim

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	costNumber   = regexp.MustCompile(`\d+(?:[.,]\d*)?|[.,]\d+`)
	thousands    = regexp.MustCompile(`^\d+,\d{3}$`)
	costCurrency = regexp.MustCompile(`^(?:([^\d.,|]*[^\d\s.,|]) *)?(\d[\d.]*)(?: *([^\d\s.,|][^\d.,|]*))?$`)
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
		return e.withSymbol(symbol, numbers[0])
	}
	return e.withSymbol(symbol, numbers[0]) + " – " + e.withSymbol(symbol, numbers[len(numbers)-1])
}

func (e *eventData) withSymbol(symbol, number string) string {
	if e.symbolAfter {
		return number + symbol
	}
	return symbol + number
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
	switch {
	case e.symbolAfter:
		position = "postfix"
	case e.symbol != "":
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
// nothing, unless it takes the place of another cost. What stands before the only number or
// behind it, and with each of a list, counts as the currency.
func writtenCost(v any, fresh bool) (cost, symbol string, after bool) {
	var parts, amounts []string
	symbols := map[string]bool{}
	for _, item := range elements(v) {
		text := strings.TrimSpace(anyTag.ReplaceAllString(stripSlashes(scalar(item)), ""))
		if text == "" || text == "0" && fresh {
			continue
		}
		parts = append(parts, text)
		m := costCurrency.FindStringSubmatch(text)
		if m == nil {
			m = []string{"", "", text, ""}
		}
		amounts, symbol, after = append(amounts, m[2]), m[1]+m[3], m[3] != ""
		symbols[symbol] = true
	}
	if len(symbols) != 1 || symbols[""] {
		return strings.Join(parts, "|"), "", false
	}
	return strings.Join(amounts, "|"), symbol, after
}
