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
func costText(e *eventData, lang *language) string { return e.costWith(cmp.Or(e.symbol, lang.Symbol)) }

// costWith shows of several numbers those without a comma.
func (e *eventData) costWith(symbol string) string {
	numbers := costNumbers(e.cost)
	if len(numbers) > 1 {
		numbers = slices.DeleteFunc(numbers, func(n string) bool { return strings.Contains(n, ",") })
	}
	switch {
	case len(numbers) == 0:
		return e.cost
	case len(numbers) == 1 && amount(numbers[0]) == 0:
		return "Free"
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

// plainNumber is a number with a point for a decimal comma, and without commas between thousands.
func plainNumber(s string) string {
	if thousands.MatchString(s) {
		return strings.ReplaceAll(s, ",", "")
	}
	return strings.ReplaceAll(s, ",", ".")
}

func costDetails(e *eventData) object {
	position := ""
	values := list{}
	switch {
	case e.symbolAfter:
		position = "postfix"
	case e.symbol != "":
		position = "prefix"
	}
	for _, n := range costNumbers(e.cost) {
		values = append(values, plainNumber(n))
	}
	for i, text := range strings.FieldsFunc(e.cost, func(r rune) bool { return r == '|' }) {
		if !costNumber.MatchString(text) {
			values = slices.Insert(values, min(i, len(values)), any(slugify(text)))
		}
	}
	return object{{"currency_symbol", e.symbol}, {"currency_code", ""}, {"currency_position", position}, {"values", values}}
}

// writtenCost returns a cost as the plugin stores the text: several costs are one text. A zero is nothing,
// unless it replaces another cost. Text before or behind the only number, and with each number of a list,
// counts as the currency. A comma separates the elements of a list, also the comma in 1,200.
func writtenCost(v any, fresh bool) (cost, symbol string, symbolAfter bool) {
	var texts []string
	symbols := map[string]bool{}
	for _, item := range elements(v) {
		text := strings.TrimSpace(anyTag.ReplaceAllString(stripSlashes(scalar(item)), ""))
		if text == "" || text == "0" && fresh {
			continue
		}
		texts = append(texts, text)
		for part := range strings.SplitSeq(text, ",") {
			symbol = ""
			m := costCurrency.FindStringSubmatch(strings.TrimSpace(part))
			if m != nil {
				symbol = m[1] + m[3]
				symbolAfter = m[3] != ""
			}
			symbols[symbol] = true
		}
	}
	cost = strings.Join(texts, "|")
	if len(symbols) != 1 || symbols[""] {
		return cost, "", false
	}
	return cost, symbol, symbolAfter
}
