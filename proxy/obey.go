package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// origin is what a site says of caching an answer, in the terms of RFC 9111 and RFC 5861.
type origin struct {
	directives
	header http.Header
	age    time.Duration // of the answer, when its fetch began
}

func originOf(from http.Header, began time.Time) origin {
	return origin{directivesOf(from), from, ageOf(from, began)}
}

// ageOf is how old an answer was when its fetch began: as old as a cache in front of the site
// says, or as its date shows (RFC 9111, 4.2.3). What the fetch took counts from then on.
func ageOf(from http.Header, began time.Time) time.Duration {
	age := deltaSeconds(from.Get("Age"))
	if date, err := http.ParseTime(from.Get("Date")); err == nil {
		age = max(age, began.Sub(date).Truncate(time.Second))
	}
	return age
}

// forbids reports whether the answer must not be used again without asking.
func (o origin) forbids() bool {
	if lifetime, told := o.lifetime(); told && lifetime <= o.age && !o.any("stale-while-revalidate", "stale-if-error") {
		return true
	}
	vary := strings.Split(strings.Join(o.header["Vary"], ","), ",")
	for _, name := range vary {
		if strings.TrimSpace(name) == "*" {
			return true
		}
	}
	return o.any("no-cache")
}

// lifetime is how long the answer is fresh, from its date, if the site says so: what shared
// caches are told counts before what all are told, and that before Expires.
func (o origin) lifetime() (d time.Duration, told bool) {
	if d, told = o.duration("s-maxage"); told {
		return d, true
	}
	return o.lifetimeOfAll()
}

// lifetimeOfAll is the lifetime for caches that are not shared.
func (o origin) lifetimeOfAll() (d time.Duration, told bool) {
	if d, told = o.duration("max-age"); told || o.header["Expires"] == nil {
		return d, told
	}
	expires, err := http.ParseTime(o.header.Get("Expires"))
	if err != nil {
		return 0, true // as 0 is, it is over
	}
	date, err := http.ParseTime(o.header.Get("Date"))
	if err != nil {
		return 0, true
	}
	return max(0, expires.Sub(date)), true
}

// obey gives the life that the site wants in place of the configuration's.
func (o origin) obey(life cache.Life) cache.Life {
	if o.forbids() {
		return cache.Life{}
	}
	switch lifetime, told := o.lifetime(); {
	case told && life.Negative:
		life.Fresh = min(life.Fresh, lifetime-o.age)
	case told && lifetime > o.age:
		life.Fresh = jitter(lifetime - o.age)
	case told:
		life.Fresh = lifetime - o.age
	default:
		life.Fresh -= o.age
	}
	o.mayBeStale(&life)
	if life.Fresh+life.StaleWhileRevalidate+life.StaleIfError == 0 {
		return cache.Life{}
	}
	return life
}

// mayBeStale sets for how long the answer may be given once it is stale. What is stale from
// the beginning may be so only by the site's own word.
func (o origin) mayBeStale(life *cache.Life) {
	over := max(0, -life.Fresh)
	life.Fresh = max(0, life.Fresh)
	for name, window := range map[string]*time.Duration{"stale-while-revalidate": &life.StaleWhileRevalidate, "stale-if-error": &life.StaleIfError} {
		own, told := o.duration(name)
		switch {
		case life.Negative || o.any("must-revalidate", "proxy-revalidate", "s-maxage"):
			*window = 0
		case told:
			*window = max(0, own-over)
		case life.Fresh == 0:
			*window = 0
		}
	}
}

// tell gives the Cache-Control of an answer that lives so long: that of the site, counted
// from when its fetch began.
func (o origin) tell(life cache.Life) string {
	var all []string
	add := func(name string, d time.Duration) {
		all = append(all, name+"="+strconv.Itoa(seconds(max(0, d))))
	}
	_, shared := o.duration("s-maxage")
	switch d, told := o.lifetimeOfAll(); {
	case !shared:
		add("max-age", life.Fresh)
	case told:
		add("max-age", d-o.age)
	}
	if shared {
		add("s-maxage", life.Fresh)
	}
	for _, name := range []string{"must-revalidate", "proxy-revalidate"} {
		if o.any(name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ") + staleControl(life)
}
