package terminal

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"golang.org/x/term"
)

// Escape escapes characters that are not printable, as Go does: a terminal interprets control characters,
// and format characters such as U+202E change how others are shown. Titles of a site and texts of a client
// must pass it on their way to a terminal.
func Escape(s string) string { return EscapeAllBut(s, "") }

// EscapeAllBut escapes all characters that are neither printable nor in keep.
func EscapeAllBut(s, keep string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) || strings.ContainsRune(keep, r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
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

// Table writes rows in columns. Each cell is escaped, and an empty cell becomes a dash.
func Table(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, text := range row {
			cells[i] = cmp.Or(Escape(text), "-")
		}
		_, _ = fmt.Fprintln(t, strings.Join(cells, "\t")) // Flush returns the error
	}
	return t.Flush()
}

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
