// Package freshness decides how long a response of the site may be served from the cache,
// whether clients share it, and which Cache-Control they get. [Options.Life] (life.go) starts with the
// configuration (options.go), asks sharing.go for what prevents sharing, and, with
// cache.obey_origin, honours the site's header fields by RFC 9111 and RFC 5861 (origin.go,
// directives.go).
package freshness

import (
	"math/rand/v2"
	"time"
)

// Options configure how long responses live. A zero duration disables what it limits.
type Options struct {
	TTL                  map[string]time.Duration // by resource; those without one have the table's
	StaleWhileRevalidate time.Duration
	StaleIfError         time.Duration
	Negative             time.Duration // of 400 and 404

	// Zone returns the time zone of the site of a language, without waiting. If it is nil, or
	// returns nil, the zone is unknown.
	Zone func(language string) *time.Location

	// IgnoreCookies are names of cookies that do not prevent sharing; a * at the end
	// stands for anything. No cookie is sent to a client.
	IgnoreCookies []string

	OverrideNoStore bool // share anonymous responses although the site sends no-store or private
	ObeyOrigin      bool // the site's Cache-Control, Expires, Age, Date and Vary override the options above
}

// zone returns the time zone of the site of a language; nil if it is unknown.
func (o Options) zone(language string) *time.Location {
	if o.Zone == nil {
		return nil
	}
	return o.Zone(language)
}

// jitter shortens d by up to a tenth, so that entries that were stored together do not
// expire together.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d - time.Duration(rand.Int64N(int64(d)/10+1))
}
