package admin

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Health is a state in words.
type Health struct {
	Class        string // one of the classes below
	Word, Detail string
}

// The classes, which are the classes of the style sheet.
const (
	bad  = "bad"
	Warn = "warn"
	idle = "idle"
	good = "good"
)

func integer(n any) int64 { return reflect.ValueOf(n).Convert(reflect.TypeFor[int64]()).Int() }

// count writes a number with separators.
func count(n any) string { return humanize.Comma(integer(n)) }

// Portion writes a part of a count.
func Portion(part, total uint64) string {
	if total == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3g %% (%s of %s)", 100*float64(part)/float64(total), count(part), count(total))
}

const shownTags = 5 // of a purge

// tagsText lists the first of n tags.
func tagsText(tags []string, n int, everything bool) string {
	if everything {
		return "everything"
	}
	first := tags[:min(len(tags), shownTags)]
	text := strings.Join(first, ", ")
	hidden := n - len(first)
	if hidden > 0 {
		text += fmt.Sprintf(" and %d more", hidden)
	}
	return text
}

// clock returns the time of day in UTC, with the date if that is another day.
func clock(t, now time.Time) string {
	t = t.UTC()
	now = now.UTC()
	if t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return t.Format("2 Jan 15:04 UTC")
	}
	return t.Format("15:04 UTC")
}
