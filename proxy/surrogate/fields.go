// Package surrogate makes what caches in front of the facade get with a response: keys by which they
// purge it, and how long they may serve it. [Options] selects the header fields and sets
// them. keys.go makes the keys from tags.
//
// No cache in front may serve a response for longer than the facade would. One that obeys RFC 9111
// counts Age, which the facade sends, from max-age; so the value of max-age is the same for all hits
// of an entry, and a response that is stale here is stale there. max-age is a second less than the
// lifetime, because Age is rounded down. What the facade may have to replace at any moment
// ([cache.Result].Fleeting) is stored nowhere.
package surrogate

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options select what caches in front get. The zero value adds nothing.
type Options struct {
	Tags Tags
	Keys Keys

	Lifetime Lifetime

	MaxAge  Limit // in browsers, and in every cache that Lifetime is not for
	SMaxAge Limit // in shared caches
}

// Tags is the header field that has the keys of a response.
type Tags string

// The fields that caches read, and how they separate the keys.
const (
	NoTags       Tags = ""
	SurrogateKey Tags = "Surrogate-Key" // spaces
	CacheTag     Tags = "Cache-Tag"     // commas
	XKey         Tags = "Xkey"          // spaces
)

// Lifetime is the header field from which the cache in front reads how long it may serve a response.
type Lifetime string

// The fields beside Cache-Control.
const (
	CacheControl     Lifetime = ""
	CDNCacheControl  Lifetime = "CDN-Cache-Control" // RFC 9213
	SurrogateControl Lifetime = "Surrogate-Control"

	// AccelExpires has the rest of the lifetime, for nginx, which ignores Age.
	AccelExpires Lifetime = "X-Accel-Expires"
)

// Fields are those that a stored response can have by [Options.SetEntry], beside Cache-Control.
var Fields = []string{string(SurrogateKey), string(CacheTag), string(XKey), string(CDNCacheControl), string(SurrogateControl)}

// targeted reports whether the field has directives, instead of Cache-Control.
func (l Lifetime) targeted() bool { return l == CDNCacheControl || l == SurrogateControl }

// Limit is the longest time for something. The zero value is no limit.
type Limit struct {
	set bool
	to  time.Duration
}

// AtMost returns a limit.
func AtMost(d time.Duration) Limit { return Limit{true, d} }

func (l Limit) of(d time.Duration) time.Duration {
	if l.set {
		return min(l.to, d)
	}
	return d
}

// Active reports whether caches in front get anything. MaxAge is for browsers.
func (o Options) Active() bool {
	o.MaxAge = Limit{}
	return o != Options{}
}

// SetEntry sets the fields of a response that is stored. control is its Cache-Control for clients
// without regard to o, and tags are its tags.
func (o Options) SetEntry(h http.Header, control string, tags []string) {
	d, ok := parse(control)
	if !ok || o == (Options{}) {
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
	if o.MaxAge == AtMost(of) && !slices.Contains(d.others, "must-revalidate") {
		// It keeps browsers from stale-while-revalidate, which Chromium obeys from max-age=0 on. s-maxage, which
		// is there too, includes the same for shared caches.
		all = append(all, "must-revalidate")
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
	if h["Cache-Control"] = []string{control}; o.Active() {
		o.SetFleeting(h)
	}
}

// SetNoStore sets the fields of a response that no cache may store: an error that the facade makes,
// which caches may serve again by default, or a response to OPTIONS.
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
