package terminal

import (
	"io"
	"strconv"
	"strings"
	"unicode"
)

// isPrintable reports whether a terminal just shows r. It interprets control characters,
// and format characters such as U+202E change how others are shown.
func isPrintable(r rune) bool { return unicode.IsPrint(r) }

// Escape escapes what is not printable as Go does. Titles of a site and texts of a
// client must pass it on their way to a terminal.
func Escape(s string) string {
	return EscapeAllBut(s, "")
}

// EscapeAllBut escapes all characters that are neither printable nor in keep.
func EscapeAllBut(s, keep string) string {
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

// Writer escapes all that is not printable, except for line breaks and tabs.
type Writer struct{ io.Writer }

// Write implements [io.Writer]. Each call must pass whole records.
func (t Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.Writer, EscapeAllBut(string(p), "\n\t")); err != nil {
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
