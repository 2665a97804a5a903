// Package surrogate makes what caches in front of the facade get with a response: keys by which they
// purge it, and how long they may serve it. [Options] (options.go) selects the header fields, and
// fields.go sets them. keys.go makes the keys from tags.
//
// No cache in front may serve a response for longer than the facade would. One that obeys RFC 9111
// counts Age, which the facade sends, from max-age; so the value of max-age is the same for all hits
// of an entry, and a response that is stale here is stale there. max-age is a second less than the
// lifetime, because Age is rounded down. What the facade may have to replace at any moment
// ([cache.Result].Fleeting) is stored nowhere.
package surrogate

import "time"

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

	// AccelExpires has what is left of the lifetime, for nginx, which ignores Age.
	AccelExpires Lifetime = "X-Accel-Expires"
)

// Fields are those that a stored response can have by [Options.SetEntry], beside Cache-Control.
var Fields = []string{string(SurrogateKey), string(CacheTag), string(XKey), string(CDNCacheControl), string(SurrogateControl)}

// targeted reports whether the field has directives, instead of those of Cache-Control.
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
