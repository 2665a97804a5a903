package mapping

import "unicode/utf8"

// Ellipsis ends a text that was cut.
const Ellipsis = "…"

// Shorten returns the beginning of a text, of at most limit bytes.
func Shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len(Ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + Ellipsis
}
