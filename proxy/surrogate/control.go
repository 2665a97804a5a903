package surrogate

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// directives are those of a Cache-Control field that package freshness made.
type directives struct {
	maxAge, sMaxAge lifetime
	while, onError  lifetime // stale-while-revalidate and stale-if-error
	others          []string
}

// lifetime is the value of a directive, if it is there.
type lifetime struct {
	is bool
	of time.Duration
}

// parse reads directives. ok reports whether caches may serve the response again by itself.
func parse(control string) (d directives, ok bool) {
	for item := range strings.SplitSeq(control, ", ") {
		name, value, _ := strings.Cut(item, "=")
		to := map[string]*lifetime{
			"max-age": &d.maxAge, "s-maxage": &d.sMaxAge, "stale-while-revalidate": &d.while, "stale-if-error": &d.onError,
		}[name]
		seconds, err := strconv.Atoi(value)
		switch {
		case name == "no-cache" || name == "no-store" || name == "private":
			return d, false
		case to == nil || err != nil:
			d.others = append(d.others, item)
		default:
			*to = lifetime{true, time.Duration(seconds) * time.Second}
		}
	}
	return d, true
}

// browsers returns how long caches serve the response that no field is for.
func (o Options) browsers(d directives) lifetime {
	return lifetime{d.maxAge.is, o.MaxAge.of(earlier(d.maxAge.of))}
}

// shared is how long shared caches serve it.
func (o Options) inShared(d directives) time.Duration {
	if d.sMaxAge.is {
		return o.SMaxAge.of(earlier(d.sMaxAge.of))
	}
	return o.SMaxAge.of(earlier(d.maxAge.of))
}

// earlier makes up for Age, which is rounded down.
func earlier(d time.Duration) time.Duration { return max(0, d-time.Second) }

// main returns Cache-Control. If another field has the lifetime in shared caches, it is for browsers
// and for shared caches that nobody purges.
func (o Options) main(d directives) string {
	browsers, shared := o.browsers(d), o.inShared(d)
	var l list
	if o.Lifetime.targeted() {
		l.add("max-age", lifetime{true, browsers.of})
		return l.join(d.others)
	}
	l.add("max-age", browsers)
	l.add("s-maxage", lifetime{d.sMaxAge.is || browsers.of != shared, shared})
	if o.MaxAge.reached(browsers.of) && !slices.Contains(d.others, mustRevalidate) {
		l = append(l, mustRevalidate)
	}
	return l.join(d.others, o.stale(d))
}

// mustRevalidate keeps browsers from stale-while-revalidate, which Chromium obeys from max-age=0 on.
// s-maxage, which is there too, includes the same for shared caches.
const mustRevalidate = "must-revalidate"

// shared returns the directives of a field for the cache in front alone.
func (o Options) shared(d directives) string {
	var l list
	l.add("max-age", lifetime{true, o.inShared(d)})
	return l.join(d.others, o.stale(d))
}

func (o Options) stale(d directives) list {
	var l list
	l.add("stale-while-revalidate", positive(d.while.is, o.StaleWhileRevalidate.of(d.while.of)))
	l.add("stale-if-error", positive(d.onError.is, o.StaleIfError.of(d.onError.of)))
	return l
}

func positive(is bool, d time.Duration) lifetime { return lifetime{is && d > 0, d} }

// list is a list of directives.
type list []string

func (l *list) add(name string, t lifetime) {
	if t.is {
		*l = append(*l, name+"="+strconv.Itoa(int(t.of/time.Second)))
	}
}

func (l list) join(more ...[]string) string {
	for _, m := range more {
		l = append(l, m...)
	}
	return strings.Join(l, ", ")
}
