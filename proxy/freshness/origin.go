package freshness

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// origin has the statements of the site's header fields about caching a response, in the terms
// of RFC 9111 and RFC 5861.
type origin struct {
	directives
	header http.Header
	age    time.Duration // of the response, when the fetch began
	date   time.Time     // of the response; without a Date the start of the fetch (RFC 9110, 6.6.1)
}

// originOf reads the header of a response to a fetch that began at a time. The age is the greater of the Age that a
// cache in front of the site sends and the age by the Date (RFC 9111, 4.2.3). The age grows from began on, so the
// duration of the fetch counts too.
func originOf(header http.Header, began time.Time) origin {
	o := origin{directives: directivesOf(header), header: header, date: began}
	if date, ok := parseDate(header.Get("Date")); ok {
		o.date = date
	}
	first, _, _ := strings.Cut(header.Get("Age"), ",") // the first member of a list counts (RFC 9111, 5.1)
	o.age = max(deltaSeconds(strings.TrimSpace(first)), began.Sub(o.date).Truncate(time.Second))
	return o
}

// forbidsReuse reports whether the response must not be served again without a call.
func (o origin) forbidsReuse() bool {
	if lifetime, ok := o.lifetime(); ok && lifetime <= o.age && !o.hasAny("stale-while-revalidate", "stale-if-error") {
		return true
	}
	vary := strings.Split(strings.Join(o.header["Vary"], ","), ",")
	return o.hasAny("no-cache") || slices.ContainsFunc(vary, func(name string) bool { return strings.TrimSpace(name) == "*" })
}

// lifetime returns how long the response is fresh, from its date, if the site sends a lifetime: s-maxage takes
// precedence over max-age, and max-age over Expires (RFC 9111, 4.2.1).
func (o origin) lifetime() (d time.Duration, ok bool) {
	if d, ok = o.duration("s-maxage"); ok {
		return d, true
	}
	return o.privateLifetime()
}

// privateLifetime is the lifetime in caches that are not shared.
func (o origin) privateLifetime() (d time.Duration, ok bool) {
	if d, ok = o.duration("max-age"); ok || o.header["Expires"] == nil {
		return d, ok
	}
	expires, ok := parseDate(o.header.Get("Expires"))
	if !ok {
		return 0, true // an invalid date, as 0, is in the past (RFC 9111, 5.3)
	}
	return max(0, expires.Sub(o.date)), true
}

// life returns the life that the site requests, instead of the configured one.
func (o origin) life(configured cache.Life) cache.Life {
	if o.forbidsReuse() {
		return cache.Life{}
	}
	life := configured
	lifetime, ok := o.lifetime()
	switch {
	case ok && life.Negative:
		life.Fresh = min(life.Fresh, lifetime-o.age)
	case ok:
		life.Fresh = jitter(lifetime - o.age)
	default:
		life.Fresh -= o.age
	}
	o.limitStale(&life)
	if life.Fresh+life.StaleWhileRevalidate+life.StaleIfError == 0 {
		return cache.Life{}
	}
	return life
}

// limitStale sets how long the response may be served stale. A response that arrives stale may be served only with the
// site's express permission. A response with a lifetime from the site needs that permission too, unless the site
// has failed: the configured stale-while-revalidate is for responses without a lifetime.
func (o origin) limitStale(life *cache.Life) {
	over := max(0, -life.Fresh)
	if _, ok := o.lifetime(); ok {
		life.StaleWhileRevalidate = 0
	}
	life.Fresh = max(0, life.Fresh)
	for name, window := range map[string]*time.Duration{"stale-while-revalidate": &life.StaleWhileRevalidate,
		"stale-if-error": &life.StaleIfError} {
		value, ok := o.duration(name)
		switch {
		case life.Negative, !ok && life.Fresh == 0, o.hasAny("must-revalidate", "proxy-revalidate", "s-maxage"):
			*window = 0
		case ok:
			*window = max(0, value-over)
		}
	}
}

// directives are the directives of a Cache-Control field (RFC 9111, 5.2), by name in lower case. The
// first of several with a name counts.
type directives map[string]string

func directivesOf(h http.Header) directives {
	d := directives{}
	list := strings.Join(h["Cache-Control"], ",")
	for list != "" {
		var item string
		item, list = cutItem(list)
		name, value, _ := strings.Cut(item, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, ok := d[name]; !ok {
			d[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return d
}

// cutItem cuts off the first element of a list, at a comma outside of quoted strings.
func cutItem(list string) (item, tail string) {
	quoted := false
	for i := 0; i < len(list); i++ {
		c := list[i]
		switch {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			return list[:i], list[i+1:]
		}
	}
	return list, ""
}

// hasAny reports whether one of the directives is present.
func (d directives) hasAny(names ...string) bool {
	for _, name := range names {
		if _, ok := d[name]; ok {
			return true
		}
	}
	return false
}

// duration reads a directive in seconds. A value that is no number is 0, which makes a
// response stale (RFC 9111, 4.2.1).
func (d directives) duration(name string) (value time.Duration, ok bool) {
	if text, ok := d[name]; ok {
		return deltaSeconds(text), true
	}
	return 0, false
}

// deltaSeconds reads a number of seconds: at most 68 years, and 0 for another text (RFC
// 9111, 1.2.2).
func deltaSeconds(s string) time.Duration {
	n, _ := strconv.ParseUint(s, 10, 31) // out of range: the maximum
	return time.Duration(n) * time.Second
}

// parseDate reads a date in one of the three forms of RFC 9110, 5.6.7, and GMT in every spelling, as other
// caches do. [http.ParseTime] also reads other time zones, hours of one digit and several spaces.
func parseDate(s string) (t time.Time, ok bool) {
	i := len(s) - len("GMT")
	if i >= 0 && strings.EqualFold(s[i:], "GMT") {
		s = s[:i] + "GMT"
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil && len(t.Format(layout)) == len(s) {
			return t, true
		}
	}
	return t, false
}

var dateLayouts = []string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC}
