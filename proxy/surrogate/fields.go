package surrogate

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SetEntry sets the fields of a response that is stored. control is its Cache-Control for clients
// without regard to o, and tags are its tags.
func (o Options) SetEntry(h http.Header, control string, tags []string) {
	seconds, others, ok := parse(control)
	if o != (Options{}) && !ok {
		o.SetFleeting(h)
	}
	h["Cache-Control"] = []string{control}
	if o == (Options{}) || !ok {
		return
	}
	main, shared := o.control(seconds, others)
	h["Cache-Control"] = []string{main}
	if o.Lifetime.targeted() {
		h[string(o.Lifetime)] = []string{shared}
	}
	if o.Tags != NoTags {
		h[string(o.Tags)] = []string{strings.Join(o.Keys.Of(tags), map[bool]string{true: ",", false: " "}[o.Tags == CacheTag])}
	}
}

// The directives that have a lifetime.
const (
	maxAge  = "max-age"
	sMaxAge = "s-maxage"
	while   = "stale-while-revalidate"
	onError = "stale-if-error"
)

// mustRevalidate keeps browsers from stale-while-revalidate, which Chromium obeys from max-age=0 on.
// s-maxage, which is there too, includes the same for shared caches.
const mustRevalidate = "must-revalidate"

// parse reads a Cache-Control field that package freshness made: lifetimes by their directives, and
// other directives. ok reports whether caches may serve the response again by itself.
func parse(control string) (lifetimes map[string]time.Duration, others []string, ok bool) {
	lifetimes = map[string]time.Duration{}
	for item := range strings.SplitSeq(control, ", ") {
		name, value, _ := strings.Cut(item, "=")
		seconds, err := strconv.Atoi(value)
		switch {
		case name == "no-cache" || name == "no-store" || name == "private":
			return nil, nil, false
		case err == nil && slices.Contains([]string{maxAge, sMaxAge, while, onError}, name):
			lifetimes[name] = time.Duration(seconds) * time.Second
		default:
			others = append(others, item)
		}
	}
	return lifetimes, others, true
}

// control returns the directives of Cache-Control, and of a field for the cache in front alone. If
// that is there, the first is for browsers, and for shared caches that nobody purges.
func (o Options) control(lifetimes map[string]time.Duration, others []string) (main, shared string) {
	of, common := lifetimes[maxAge], lifetimes[sMaxAge]
	_, private := lifetimes[maxAge]
	_, split := lifetimes[sMaxAge]
	if !split {
		common = of
	}
	// A second makes up for Age, which is rounded down.
	of, common = o.MaxAge.of(max(0, of-time.Second)), o.SMaxAge.of(max(0, common-time.Second))
	stale := slices.Concat(others, directive(while, o.StaleWhileRevalidate.of(lifetimes[while]), 1), directive(onError, o.StaleIfError.of(lifetimes[onError]), 1))
	shared = strings.Join(append(directive(maxAge, common, 0), stale...), ", ")
	if o.Lifetime.targeted() {
		return strings.Join(append(directive(maxAge, of, 0), others...), ", "), shared
	}
	var all []string
	if private {
		all = directive(maxAge, of, 0)
	}
	if split || of != common {
		all = append(all, directive(sMaxAge, common, 0)...)
	}
	if o.MaxAge == AtMost(of) && !slices.Contains(others, mustRevalidate) {
		all = append(all, mustRevalidate)
	}
	return strings.Join(append(all, stale...), ", "), shared
}

// directive returns a directive, unless its value is less than so many seconds.
func directive(name string, d time.Duration, least int) []string {
	seconds := int(d / time.Second)
	if seconds < least {
		return nil
	}
	return []string{name + "=" + strconv.Itoa(seconds)}
}

// SetFleeting sets the fields of a response that no other cache may serve again.
func (o Options) SetFleeting(h http.Header) {
	h["Cache-Control"] = []string{"no-cache"}
	if o.Lifetime.targeted() {
		// Caches that read the field ignore Cache-Control. Not all of them know no-store.
		h[string(o.Lifetime)] = []string{"max-age=0, no-store"}
	}
	delete(h, string(o.Tags))
}

// SetOwn sets the fields of a response that the facade makes by itself, which no purge reaches and a
// new configuration changes. control is its Cache-Control without regard to o.
func (o Options) SetOwn(h http.Header, control string) {
	if !o.Active() {
		h["Cache-Control"] = []string{control}
		return
	}
	o.SetFleeting(h)
}

// SetNoStore sets the fields of a response that no cache may store: an error that the facade makes,
// some of which caches serve again by default, or a response to OPTIONS.
func (o Options) SetNoStore(h http.Header) {
	if o.Active() {
		o.SetFleeting(h)
		h["Cache-Control"] = []string{"no-store"}
	}
}

// Expires returns the value of X-Accel-Expires of a response: how many seconds are left of its
// lifetime in the cache in front. ok reports whether responses have the field.
func (o Options) Expires(fresh, age time.Duration) (seconds int64, ok bool) {
	return max(0, int64((o.SMaxAge.of(fresh)-age)/time.Second)), o.Lifetime == AccelExpires
}
