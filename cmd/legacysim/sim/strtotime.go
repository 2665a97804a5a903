package sim

import (
	"strconv"
	"strings"
	"time"
)

// strtotime reads what PHP's function of that name commonly reads, and numbers, which
// are seconds since 1970. Missing parts are those of now. The date is in the zone
// that the text names, else in loc; a number is in UTC.
func strtotime(s string, now time.Time, loc *time.Location) (time.Time, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && s[0] != '+' {
		return time.Unix(n, 0).UTC(), true
	}
	d := &dateText{now: now.In(loc), rest: strings.ToLower(strings.TrimSpace(s))}
	for d.rest != "" {
		if !d.next() {
			return time.Time{}, false
		}
		d.rest = strings.TrimLeft(d.rest, " ,\t")
	}
	return d.time()
}

// next reads the first token that fits, and reports whether one did.
func (d *dateText) next() bool {
	for _, t := range dateTokens {
		if m := t.form.FindStringSubmatch(d.rest); m != nil && t.read(d, m) {
			d.rest = d.rest[len(m[0]):]
			return true
		}
	}
	return false
}

// parseDate reads a date. Without a zone it is in loc.
func parseDate(s string, now time.Time, loc *time.Location) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	at, ok := strtotime(s, now, loc)
	return at.In(loc), ok
}
