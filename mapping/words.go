package mapping

import (
	"html"
	"strings"
)

// typography undoes what WordPress makes of quotes and dashes when it shows a text.
var typography = strings.NewReplacer(
	"‘", "'", "’", "'", "′", "'", "“", `"`, "”", `"`, "″", `"`,
	"–", "-", "—", "-", "---", "-", "--", "-", "…", "...",
)

// plainWords is a text without markup, entities and typography, in which what a
// client wrote and what the legacy shows of it compare.
func plainWords(s string) string {
	s = html.UnescapeString(htmlTag.ReplaceAllString(s, " "))
	return strings.Join(strings.Fields(typography.Replace(s)), " ")
}

// amountsIn are the numbers of a price.
func amountsIn(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }), " ")
}
