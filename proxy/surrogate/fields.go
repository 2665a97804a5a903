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
	if o == (Options{}) {
		h["Cache-Control"] = []string{control}
		return
	}
	d, ok := parse(control)
	if !ok {
		o.SetFleeting(h)
		h["Cache-Control"] = []string{control}
		return
	}
	main, shared := o.control(d)
	h["Cache-Control"] = []string{main}
	if o.Lifetime.targeted() {
		h[string(o.Lifetime)] = []string{shared}
	}
	switch keys := o.Keys.Of(tags); o.Tags {
	case NoTags:
	case CacheTag:
		h[string(o.Tags)] = []string{strings.Join(keys, ",")}
	default:
		h[string(o.Tags)] = []string{strings.Join(keys, " ")}
	}
}

// mustRevalidate keeps browsers from stale-while-revalidate, which Chromium obeys from max-age=0 on.
// s-maxage, which is there too, includes the same for shared caches.
const mustRevalidate = "must-revalidate"

// directives are the directives of a Cache-Control field that package freshness made.
type directives struct {
	lifetimes     map[string]time.Duration // max-age, s-maxage
	others, stale []string
}

// parse reads a field. ok reports whether caches may serve the response again by itself.
func parse(control string) (d directives, ok bool) {
	d.lifetimes = map[string]time.Duration{}
	for item := range strings.SplitSeq(control, ", ") {
		switch name, value, _ := strings.Cut(item, "="); name {
		case "no-cache", "no-store", "private":
			return d, false
		case "max-age", "s-maxage":
			seconds, _ := strconv.Atoi(value)
			d.lifetimes[name] = time.Duration(seconds) * time.Second
		case "stale-while-revalidate", "stale-if-error":
			d.stale = append(d.stale, item)
		default:
			d.others = append(d.others, item)
		}
	}
	return d, true
}

// control returns the directives of Cache-Control, and of a field for the cache in front alone. If
// that is there, the first is for browsers, and for shared caches that nobody purges.
func (o Options) control(d directives) (main, shared string) {
	of, private := d.lifetimes["max-age"]
	common, split := d.lifetimes["s-maxage"]
	if !split {
		common = of
	}
	// A second makes up for Age, which is rounded down.
	of, common = o.MaxAge.of(max(0, of-time.Second)), o.SMaxAge.of(max(0, common-time.Second))
	if o.Lifetime.targeted() {
		return join([]string{seconds("max-age", of)}, d.others), join([]string{seconds("max-age", common)}, d.others, d.stale)
	}
	var all []string
	if private {
		all = append(all, seconds("max-age", of))
	}
	if split || of != common {
		all = append(all, seconds("s-maxage", common))
	}
	if o.MaxAge == AtMost(of) && !slices.Contains(d.others, mustRevalidate) {
		all = append(all, mustRevalidate)
	}
	return join(all, d.others, d.stale), ""
}

func seconds(name string, d time.Duration) string {
	return name + "=" + strconv.Itoa(int(d/time.Second))
}

func join(lists ...[]string) string { return strings.Join(slices.Concat(lists...), ", ") }

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
