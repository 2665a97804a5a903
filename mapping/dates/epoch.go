package dates

import (
	"strings"
	"time"
)

// The legacy treats the first second of 1970 as no date and rejects it, with and without a
// time, also in a filter by whole days. The next second is on the same day: it is equivalent
// in a filter by whole days, and not in one by exact times.

// instantLayout is the canonical form of a time with an offset.
const instantLayout = "2006-01-02T15:04:05-07:00"

// epochLayouts are the canonical forms that the first second of 1970 can have.
var epochLayouts = []string{time.DateOnly, time.DateTime, instantLayout}

// AfterEpoch returns the second after a canonical date if that is the first second of 1970. A
// date without a zone is read in UTC, as by the legacy, whatever the zone of the site.
func AfterEpoch(text string) (later string, isEpoch bool) {
	if text == "@0" {
		return "@1", true
	}
	if !strings.HasPrefix(text, "1970-01-01") && !strings.HasPrefix(text, "1969-12-31") {
		return "", false
	}
	for _, layout := range epochLayouts {
		if t, err := time.Parse(layout, text); err == nil && t.Unix() == 0 {
			if layout == time.DateOnly {
				layout = time.DateTime
			}
			return t.Add(time.Second).Format(layout), true
		}
	}
	return "", false
}
