// Package surrogate makes what caches in front of the facade get with a response: keys by which they
// purge it, and how long they may serve it. [Options] (options.go) selects the header fields. keys.go
// makes the keys from tags, and control.go the lifetimes.
//
// No cache in front may serve a response for longer than the facade would. One that obeys RFC 9111
// counts Age, which the facade sends, from max-age; so the value of max-age is the same for all hits
// of an entry, and a response that is stale here is stale there. max-age is a second less than the
// lifetime, because Age is rounded down. What the facade may have to replace at any moment
// ([cache.Result].Fleeting) is stored nowhere.
package surrogate

import (
	"net/http"
	"strings"
	"time"
)

// Options select what caches in front get. The zero value adds nothing.
type Options struct {
	Tags Tags
	Keys Keys

	Lifetime Lifetime

	MaxAge               Limit // in browsers, and in every cache that Lifetime is not for
	SMaxAge              Limit // in shared caches
	StaleWhileRevalidate Limit
	StaleIfError         Limit
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

	// AccelExpires has what is left of the lifetime, for nginx, which ignores Age.
	AccelExpires Lifetime = "X-Accel-Expires"
)

// Fields are those that a stored response can have by [Options.SetEntry], beside Cache-Control.
var Fields = []string{string(SurrogateKey), string(CacheTag), string(XKey), string(CDNCacheControl), string(SurrogateControl)}

// targeted reports whether the field has directives, in place of those of Cache-Control.
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

// reached reports whether a time of [Limit.of] is no shorter than the limit.
func (l Limit) reached(d time.Duration) bool { return l.set && d == l.to }

// Active reports whether caches in front get anything. MaxAge is for browsers.
func (o Options) Active() bool {
	o.MaxAge = Limit{}
	return o != Options{}
}

// SetEntry sets the fields of a response that is stored. control is its Cache-Control for clients
// without regard to o, and tags are its tags.
func (o Options) SetEntry(h http.Header, control string, tags []string) {
	h["Cache-Control"] = []string{control}
	if o == (Options{}) {
		return
	}
	d, ok := parse(control)
	if !ok {
		o.SetFleeting(h)
		h["Cache-Control"] = []string{control}
		return
	}
	h["Cache-Control"] = []string{o.main(d)}
	if o.Lifetime.targeted() {
		h[string(o.Lifetime)] = []string{o.shared(d)}
	}
	if o.Tags != NoTags {
		h[string(o.Tags)] = []string{strings.Join(o.Keys.Of(tags), o.Tags.separator())}
	}
}

func (t Tags) separator() string {
	if t == CacheTag {
		return ","
	}
	return " "
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
	if o.Lifetime != AccelExpires {
		return 0, false
	}
	return max(0, int64((o.SMaxAge.of(fresh)-age)/time.Second)), true
}
