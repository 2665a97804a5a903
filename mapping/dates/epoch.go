package dates

import (
	"strings"
	"time"
)

// The legacy takes the first second of 1970 for no date and refuses it, with and
// without a time, in a date that stands for a whole day as well. The second after
// it is in the same day, so that it says the same of a whole day, and something
// else of an exact time.

// instantLayout is the canonical form of a time with an offset.
const instantLayout = "2006-01-02T15:04:05-07:00"

// epochLayouts are the canonical forms that the first second of 1970 can have.
var epochLayouts = []string{time.DateOnly, time.DateTime, instantLayout}

// AfterEpoch gives the second after a date in its canonical form if that is the
// first second of 1970, in UTC where the date has no zone: so the legacy reads it,
// whatever the zone of the site.
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
