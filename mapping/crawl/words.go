package crawl

import (
	"html"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Page returns the URL of the item's page on the site, as the backend has it; "" for none.
func (l Listed) Page() string {
	v := jsonscan.Get(l.JSON, mapping.PageURLName)
	return jsonscan.Text(v)
}

// Words returns the letters and digits of an item's name and long texts. Other characters,
// such as quotes, depend on the locale of the backend, and so do short texts, such as the
// price of a free event.
func Words(c *mapping.Call, l Listed) string {
	var words strings.Builder
	fields := mapping.FieldsOf(c.Endpoint.Resource)
	_ = jsonscan.EachMember(l.JSON, func(name string, v jsontext.Value) error { // valid: ReadPage has read it
		if slices.ContainsFunc(fields, func(p mapping.Param) bool {
			return p.Name == name && p.Kind == mapping.Text && (p.Required || p.MaxLen == mapping.Unlimited)
		}) {
			words.WriteString(strings.Map(lettersAndDigits, html.UnescapeString(jsonscan.Text(v))))
			words.WriteByte('\n')
		}
		return nil
	})
	return words.String()
}

func lettersAndDigits(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}
