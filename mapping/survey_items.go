package mapping

import (
	"html"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Page is the URL of the item's page on the site, as the backend says it; "" for none.
func (l Listed) Page() string {
	v := jsonscan.Get(l.json, pageName)
	return jsonscan.Text(v)
}

// Words are the letters and digits of an item's name and long texts, as the list c has
// them. What else a text has, such as quotes, follows the locale of the backend, and so
// do short texts, such as a price that is nothing.
func (c *Call) Words(l Listed) string {
	var words strings.Builder
	fields := FieldsOf(c.Endpoint.Resource)
	_ = jsonscan.EachMember(l.json, func(name string, v jsontext.Value) error { // it was read before
		if slices.ContainsFunc(fields, func(p Param) bool {
			return p.Name == name && p.Kind == Text && (p.Required || p.MaxLen == Unlimited)
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

// HasTerms reports whether c is a list of categories or tags, which language plugins
// treat otherwise than posts.
func (c *Call) HasTerms() bool { return c.Endpoint.OfTerms() }
