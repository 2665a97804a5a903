package statuspage

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// moment is a time in the forms that the page shows.
type moment struct{ ISO, Clock, Ago string }

func momentOf(t, now time.Time) moment {
	t = t.UTC()
	layout := "15:04:05 UTC"
	if now.Sub(t).Abs() > 20*time.Hour {
		layout = "2 Jan 2006 15:04:05 UTC"
	}
	return moment{ISO: t.Format(time.RFC3339), Clock: t.Format(layout), Ago: humanize.RelTime(t, now, "ago", "from now")}
}

func count64(v float64) string { return humanize.Comma(int64(v)) }

func inBytes(v float64) string { return humanize.IBytes(uint64(v)) }

// shortNumber writes a number with as many places as it is worth.
func shortNumber(v float64) string {
	places := 0
	if v != 0 && v < 10 {
		places = 1
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

func perSecond(v float64) string      { return withUnit(v, "/s") }
func inMilliseconds(v float64) string { return withUnit(v, " ms") }
func inPercent(v float64) string      { return withUnit(v, " %") }

func withUnit(v float64, unit string) string {
	if math.IsNaN(v) {
		return "–"
	}
	return shortNumber(v) + unit
}

// shortened returns the beginning of a text of more than limit bytes.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

type fact struct{ Name, Value string }
