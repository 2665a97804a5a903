package freshness

import (
	"net/http"
	"strings"
	"time"
)

// parseDate reads a date in one of the three forms of RFC 9110, 5.6.7. [http.ParseTime] also
// reads what is none of them: other time zones, hours of one digit, several spaces.
func parseDate(s string) (t time.Time, ok bool) {
	for _, layout := range []string{http.TimeFormat, time.RFC850, time.ANSIC} {
		form := s
		if layout != time.ANSIC {
			before, isGMT := cutGMT(s)
			if !isGMT {
				continue
			}
			form = before + "GMT"
		}
		if t, err := time.Parse(layout, form); err == nil && len(t.Format(layout)) == len(s) {
			return t, true
		}
	}
	return t, false
}

// cutGMT cuts off the time zone. It reads GMT in every spelling, as other caches do.
func cutGMT(s string) (before string, found bool) {
	at := len(s) - len("GMT")
	if at < 0 || !strings.EqualFold(s[at:], "GMT") {
		return s, false
	}
	return s[:at], true
}
