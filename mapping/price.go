package mapping

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// prices reads a list of the prices of an event.
func (p *Param) prices(n *Node) (value, *Fault) {
	var texts []string
	for i := range n.items {
		e := &n.items[i]
		if e.kind == list || e.kind == object || e.kind == jsonNull {
			return value{}, p.wrongType(p.Kind.JSONType())
		}
		if f := p.checkText(e); f != nil {
			return value{}, f
		}
		texts = append(texts, e.text)
	}
	if len(texts) > MaxItems {
		return value{}, p.fault(codeTooMany, "too_many", "Max", strconv.Itoa(MaxItems))
	}
	return priceList(texts), nil
}

// priceList returns the value of several prices.
func priceList(texts []string) value {
	items := make([]string, len(texts))
	for i, text := range texts {
		items[i] = jsonscan.Quote(text)
	}
	return value{text: strings.Join(texts, " - "), json: jsonscan.List(items)}
}

// preservedPrice returns the price that shows as cost, as the legacy reads it back
// (recordings odd-create-cost-*, update-costs-*): its amounts as they are spelled, several as a
// list, and with each the currency that was stored; without one the site's is shown and
// nothing was stored. Zero shows as a word. Other words are a text.
func preservedPrice(cost string, details jsontext.Value) value {
	symbol, position := jsonscan.Text(jsonscan.Get(details, symbolName)), jsonscan.Text(jsonscan.Get(details, positionName))
	var stored []string
	amounts, _ := jsonscan.Elements(jsonscan.Get(details, amountsName))
	for _, a := range amounts {
		stored = append(stored, jsonscan.Text(a))
	}
	words := strings.ReplaceAll(cost, symbol, "")
	spelled := amount.FindAllString(words, -1)
	free := len(stored) > len(spelled) && stored[0] != "" && strings.Trim(stored[0], "0.") == ""
	switch {
	case len(spelled) == 0 && !free || !free && strings.ContainsFunc(words, unicode.IsLetter):
		return textValue(cost)
	case free || len(spelled) > 1 && len(stored) > len(spelled): // those between the first and the last do not show
		spelled = stored
	}
	for i, text := range spelled {
		// Beside a comma the legacy reads no currency (recording update-costs-18-pound-comma).
		if whole := strings.ReplaceAll(text, ",", ""); symbol != "" && slices.Contains(stored, whole) {
			text = whole
		}
		spelled[i] = withCurrency(text, symbol, position == "" || position == beforeAmount)
	}
	if len(spelled) == 1 {
		return textValue(spelled[0])
	}
	return priceList(spelled)
}

// withCurrency returns an amount with the symbol of a currency, in the spellings of the recordings
// update-costs-*: $12, CHF 12, 12 €.
func withCurrency(text, symbol string, before bool) string {
	switch last, _ := utf8.DecodeLastRuneInString(symbol); {
	case symbol == "":
		return text
	case !before:
		return text + " " + symbol
	case unicode.IsLetter(last):
		return symbol + " " + text
	}
	return symbol + text
}

// amount is a number as prices spell it.
var amount = regexp.MustCompile(`[0-9][0-9.,]*|[.,][0-9]+`)

// samePrice reports whether an unchanged price has the amounts that were written. They are shown,
// or only stored, such as zero and those between the first and the last.
func samePrice(written, shown string, details jsontext.Value) bool {
	if shown == "" {
		return written == "" || written == "0"
	}
	have := amountsIn(written)
	return have == amountsIn(shown) || have == amountsIn(string(jsonscan.Get(details, amountsName)))
}

// hasSigns reports whether shown has the currencies that were written.
func hasSigns(shown, written string) bool {
	return !strings.ContainsFunc(written, func(r rune) bool { return unicode.Is(unicode.Sc, r) && !strings.ContainsRune(shown, r) })
}

// amountsIn are the numbers of a price.
func amountsIn(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }), " ")
}
