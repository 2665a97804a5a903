package terminal

import (
	"io"
	"strconv"
	"strings"
	"unicode"
)

// isPrintable reports whether a terminal only shows r. Control characters command it, and
// format characters such as U+202E change how others look.
func isPrintable(r rune) bool { return unicode.IsPrint(r) }

// Escape is a text with what is not printable written as Go does. No titles of a site
// and no words of a client reach a terminal otherwise.
func Escape(s string) string {
	return escapeAllBut(s, "")
}

// escapeAllBut leaves what is printable and what is in keep.
func escapeAllBut(s, keep string) string {
	harmless := func(r rune) bool { return isPrintable(r) || strings.ContainsRune(keep, r) }
	if strings.IndexFunc(s, func(r rune) bool { return !harmless(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if harmless(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// Writer writes what people read, line by line, without what is not printable.
type Writer struct{ io.Writer }

// Write implements [io.Writer]. It is given whole records.
func (t Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.Writer, escapeAllBut(string(p), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// OrDash returns a dash in place of an empty text.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
