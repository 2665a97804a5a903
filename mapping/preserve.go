package mapping

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// preserves reports whether the legacy would reset p. A date of publication may be named
// by either of its two fields.
func (b Backend) preserves(c *Call, p *Param) bool {
	if p.Preserve == NotPreserved || b.AsIs || c.named(p.Name) || p.Preserve == Following && c.moves(p) {
		return false
	}
	return p.Preserve != Published || !slices.ContainsFunc(p.Moves, func(other string) bool {
		field := c.field(other)
		return field != nil && field.Param.Kind == DateTime
	})
}

// publishesNow reports whether the call publishes a scheduled item: its date of
// publication becomes now, as the legacy has it, and the scheduled one is dropped.
func (c *Call) publishesNow(p *Param, item map[string]jsontext.Value) bool {
	return p.Preserve == Published && slices.ContainsFunc(p.Moves, func(other string) bool {
		field := c.field(other)
		return field != nil && field.Text == published && jsonscan.Text(item[other]) == scheduled
	})
}

const statusName = "status"

// WordPress's statuses of what everybody sees, and of what will be seen.
const (
	published = "publish"
	scheduled = "future"
)

// undated are the statuses in which an item may have no date of publication.
var undated = []string{"draft", "pending"}

// needsBeside reports whether p is missing beside one of the fields named.
func (c *Call) needsBeside(p *Param, named func(string) bool) bool {
	return !c.named(p.Name) && slices.ContainsFunc(p.Beside, named)
}

// unlinks reports whether the call removes what the legacy only replaces.
func (c *Call) unlinks(p *Param) bool {
	field := c.field(p.Name)
	return p.Single && field != nil && field.JSON == noLinks
}

// preserved returns the value that an update must send so that p does not change; ok is
// false if it does not change without one.
func (b Backend) preserved(p *Param, item map[string]jsontext.Value) (v value, ok bool) {
	shown := item[p.Name]
	switch p.Preserve {
	case AsShown, Following:
		v = textValue(jsonscan.Text(shown))
	case Flag:
		if p.Kind == TextLike {
			return textValue("false"), ShownFlag(shown) == "false"
		}
		return boolean(true), ShownFlag(shown) == "true"
	case ByID:
		v = b.preservedIDs(p, shown)
	case ByValues:
		v = preservedPrice(jsonscan.Text(shown), item[p.Name+detailsSuffix])
	case Address:
		v = textValue(siteurl.Written(jsonscan.Text(shown)))
		if page := jsonscan.Text(item[PageURLName]); siteurl.SamePage([]byte(jsonscan.Text(shown)), []byte(page)) {
			return value{}, false // the legacy's default, which it does not store
		}
	case Published:
		v = textValue(jsonscan.Text(shown))
		if isUndated(item) {
			return value{}, false
		}
	}
	return v, v.text != ""
}

// ShownFlag returns a flag that an item shows as true or false: a plugin may make 1 or "1" of it, and 0 or
// "", which is false as a text of PHP.
func ShownFlag(shown jsontext.Value) string {
	if yes, ok := ParseBool(jsonscan.Text(shown)); ok || string(shown) == `""` {
		return boolean(yes).text
	}
	return string(shown)
}

// asShown returns a field that is named. A price or an address in the form that the item shows is
// sent as the item has it, since the legacy reads that form as another value.
func (b Backend) asShown(a Written, item map[string]jsontext.Value) Written {
	p := a.Param
	if (p.Preserve == ByValues || p.Preserve == Address) && !b.AsIs && a.Text == jsonscan.Text(item[p.Name]) {
		if v, ok := b.preserved(p, item); ok {
			a.Text, a.JSON = v.text, v.asJSON()
		}
	}
	return a
}

// isUndated reports whether an item has no date of publication yet. It shows when it
// was changed then, and the year 0 in UTC.
func isUndated(item map[string]jsontext.Value) bool {
	return strings.HasPrefix(jsonscan.Text(item[dateUTC.Name]), "0000")
}

// dates reports whether p is a date of publication that the call names.
func (c *Call) dates(p *Param) bool {
	return p.Kind == DateTime && p.Zone != EventZone && c.named(p.Name)
}

// datesDraft reports whether the call names a date of publication and a status with which an item may
// have none.
func (c *Call) datesDraft(p *Param) bool {
	status := c.field(statusName)
	return c.dates(p) && status != nil && slices.Contains(undated, status.Text)
}

// staysUndated reports whether an item has no date of publication, and an update that does not
// publish it. The legacy ignores a date then (recordings update-dates-of-draft-*,
// update-dates-of-pending-*).
func (c *Call) staysUndated(item map[string]jsontext.Value) bool {
	status := jsonscan.Text(item[statusName])
	if a := c.field(statusName); a != nil {
		status = a.Text
	}
	return isUndated(item) && slices.Contains(undated, status)
}

// preservedIDs returns the ids of an object or a list of them, in the type of p.
func (b Backend) preservedIDs(p *Param, shown jsontext.Value) value {
	var ids []string
	for _, item := range jsonscan.AsList(shown) {
		if found, ok := linkedID(item); ok {
			ids = append(ids, b.IDs.Legacy(p.names(), found))
		}
	}
	if p.Kind == Links {
		return jsonList(ids)
	}
	return textValue(strings.Join(ids, ","))
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
	free := len(stored) > len(spelled) && isZero(stored[0])
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
	var items []string
	for _, text := range spelled {
		items = append(items, jsonscan.Quote(text))
	}
	return value{text: strings.Join(spelled, " - "), json: "[" + strings.Join(items, ",") + "]"}
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

func isZero(amount string) bool { return amount != "" && strings.Trim(amount, "0.") == "" }

// amount is a number as prices spell it.
var amount = regexp.MustCompile(`[0-9][0-9.,]*|[.,][0-9]+`)
