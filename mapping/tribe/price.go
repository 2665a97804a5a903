package tribe

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// beforeAmount is a value of currency_position.
const beforeAmount = "prefix"

// shownPrice is the price that an event shows.
type shownPrice struct {
	cost     string
	symbol   string   // the event's own currency; "" for the calendar's
	position string   // of the symbol
	values   []string // the amounts that are stored, or words
	spelled  []string // the amounts in cost: all, or the first and the last
}

func readPrice(cost string, details jsontext.Value) shownPrice {
	p := shownPrice{cost: cost, symbol: jsonscan.Text(jsonscan.Get(details, mapping.CostSymbolName)),
		position: jsonscan.Text(jsonscan.Get(details, mapping.CostPositionName))}
	amounts, _ := jsonscan.Elements(jsonscan.Get(details, mapping.CostAmountsName))
	for _, a := range amounts {
		p.values = append(p.values, jsonscan.Text(a))
	}
	p.spelled = amount.FindAllString(strings.ReplaceAll(cost, p.symbol, ""), -1)
	return p
}

// preservedPrice returns the price that an update must send so that the event shows cost as before, with the
// same amounts and currency. A single text stays a single text: the calendar's editor knows nothing else. The
// legacy reads the currency from the text that is sent: beside a single number without a comma, and from a list
// with the currency in each element (recordings price-*). So a range with a currency of the event is sent as a
// list, also if the range was a text. The value is lossy if a part of the price may change.
func preservedPrice(cost string, details jsontext.Value) value {
	p := readPrice(cost, details)
	v := p.preserved()
	v.lossy = v.lossy || p.symbol != "" && !slices.Contains([]string{beforeAmount, "suffix", "postfix"}, p.position)
	return v
}

func (p shownPrice) preserved() value {
	hasAmount := slices.ContainsFunc(p.values, isAmount)
	switch {
	case !hasAmount: // words, which have no currency
		words := textValue(p.cost)
		words.lossy = p.cost != "" && p.symbol != ""
		return words
	case len(p.values) > 1 && strings.HasSuffix(p.values[0], "."):
		return p.listInText()
	case len(p.values) == 2 && p.values[0][0] == '.':
		return p.splitAmount()
	case len(p.spelled) == 1 && p.hasWord() && p.symbol != "": // in a list the word would remove the currency
		return p.single(p.spelled[0], true)
	}
	amounts := slices.Clone(p.spelled)
	if len(p.values) > len(amounts) { // a word for zero, or amounts between the first and the last
		amounts = slices.Clone(p.values)
	}
	last := len(amounts) - 1
	if len(p.spelled) == 2 && last > 1 {
		amounts[0] = p.spelled[0]
		amounts[last] = p.spelled[1]
	}
	if len(amounts) == 1 {
		return p.single(amounts[0], false)
	}
	return p.several(amounts)
}

func isAmount(stored string) bool { return amount.FindString(stored) == stored }

// hasWord reports whether something is stored beside amounts, such as "free".
func (p shownPrice) hasWord() bool {
	return slices.ContainsFunc(p.values, func(v string) bool { return !isAmount(v) })
}

// single returns one amount as a text.
func (p shownPrice) single(text string, lossy bool) value {
	spelling, changed := p.withCurrency(text)
	single := textValue(spelling)
	single.lossy = lossy || changed
	return single
}

// several returns several amounts: two without a currency as a text, others as a list. A list of two may
// have been a text.
func (p shownPrice) several(amounts []string) value {
	if p.symbol == "" && len(amounts) == 2 && len(p.spelled) == 2 {
		return textValue(strings.Join(amounts, " - "))
	}
	lossy := len(amounts) == 2 && !p.hasWord()
	for i, text := range amounts {
		spelling, changed := p.withCurrency(text)
		amounts[i] = spelling
		lossy = lossy || changed
	}
	text, json := mapping.PriceList(amounts)
	return value{text: text, json: json, lossy: lossy}
}

// listInText returns a price that is a text such as "5, 25". The legacy reads the comma as a part of the
// number, and shows only the last amount (recordings price-list-text-*, price-set-list-text).
func (p shownPrice) listInText() value {
	var parts []string
	for _, v := range p.values {
		parts = append(parts, strings.TrimSuffix(v, "."))
	}
	switch {
	case p.symbol == "":
		return textValue(strings.Join(parts, ", "))
	case p.position == beforeAmount: // recording price-keep-pound-prefix-text-comma-symbols
		return textValue(p.symbol + strings.Join(parts, ","+p.symbol))
	}
	return p.single(parts[len(parts)-1], true)
}

// splitAmount returns a price that the legacy reads in part as a fraction: "1,234.50" is shown as ".50"
// and "1.234,50" as "1.234", beside "5€,25€" as "5€" (recordings update-costs-09, -19, -20).
func (p shownPrice) splitAmount() value {
	fraction, integer := p.values[0], p.values[1]
	head, tail, grouped := strings.Cut(integer, ".")
	switch {
	case p.symbol != "" && p.position != beforeAmount && len(integer) < 4 && !grouped:
		return textValue(integer + p.symbol + "," + fraction[1:] + p.symbol)
	case p.symbol != "":
		return p.single(head+tail+fraction, true)
	case grouped:
		return textValue(integer + "," + fraction[1:])
	case len(integer) > 3:
		n := len(integer) - 3
		return textValue(integer[:n] + "," + integer[n:] + fraction)
	}
	return p.single(p.spelled[0], true)
}

// withCurrency returns an amount with the symbol, in the spellings of the recordings update-costs-* and
// price-keep-*: $12, CHF 12, 12€. Beside a comma the legacy reads no currency: the amount is then sent without
// the comma, which changes the price.
func (p shownPrice) withCurrency(text string) (spelling string, changed bool) {
	if p.symbol == "" {
		return text, false
	}
	for _, plain := range []string{strings.ReplaceAll(text, ",", ""), strings.ReplaceAll(text, ",", ".")} {
		if plain != text && slices.Contains(p.values, plain) {
			text, changed = plain, true
			break
		}
	}
	first, _ := utf8.DecodeRuneInString(p.symbol)
	last, _ := utf8.DecodeLastRuneInString(p.symbol)
	isPrefix := p.position == "" || p.position == beforeAmount
	switch {
	case isPrefix && unicode.IsLetter(last):
		return p.symbol + " " + text, changed
	case isPrefix:
		return p.symbol + text, changed
	case unicode.IsLetter(first):
		return text + " " + p.symbol, changed
	}
	return text + p.symbol, changed
}

// samePriceDetails reports whether two prices that show the same cost have the same amounts and currency. The
// editor of the calendar calls a position suffix that the legacy's writes call postfix. Without a price the
// currency means nothing: every update removes it.
func samePriceDetails(cost string, a, b jsontext.Value) bool {
	p := readPrice(cost, a)
	q := readPrice(cost, b)
	behind := func(position string) string { return strings.Replace(position, "suffix", "postfix", 1) }
	return slices.Equal(p.values, q.values) &&
		(cost == "" || p.symbol == q.symbol && behind(p.position) == behind(q.position))
}

// amount is a number as prices spell it.
var amount = regexp.MustCompile(`[0-9][0-9.,]*|[.,][0-9]+`)

// samePrice reports whether an unchanged price has the amounts that were written. Amounts are shown, or only
// stored, such as zero and the amounts between the first and the last.
func samePrice(requested, cost string, details jsontext.Value) bool {
	if cost == "" {
		return requested == "" || requested == "0"
	}
	amounts := amountsIn(requested)
	return amounts == amountsIn(cost) || amounts == amountsIn(string(jsonscan.Get(details, mapping.CostAmountsName)))
}

// hasSigns reports whether shown has the currencies that were written.
func hasSigns(cost, requested string) bool {
	return !strings.ContainsFunc(requested, func(r rune) bool { return unicode.Is(unicode.Sc, r) && !strings.ContainsRune(cost, r) })
}

// amountsIn are the numbers of a price.
func amountsIn(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }), " ")
}
