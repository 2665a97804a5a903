// Package freshness decides how long a response of the site may be served from the cache, by
// calfacade and by caches in front of it, whether clients share it, and which header fields tell
// them. [Options.Terms] starts with the configuration, asks what prevents sharing, and, with
// cache.site_headers, honours the site's header fields by RFC 9111 and RFC 5861 (origin.go).
// [Surrogate] sets the fields, and the keys by which caches in front purge (keys.go).
package freshness

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
)

// Options configure how long responses live. A zero duration disables its effect.
type Options struct {
	// TTL is the time for which responses are fresh, by collection, and with the key
	// errors the time for which a 400 or 404 is stored. 0 disables storing. Default:
	// the times that the API has.
	TTL map[string]time.Duration `yaml:"ttl" check:"range 0s"`

	// StaleWhileRevalidate is the time, after [Options.TTL], for which a response is
	// served stale while it is refreshed in the background. Default 5m; 0 disables
	// it.
	StaleWhileRevalidate time.Duration `yaml:"stale_while_revalidate" default:"5m" check:"range 0s"`

	// StaleIfError is the time, after [Options.TTL], for which a response is served
	// stale if the site fails. Default 24h; 0 disables it.
	StaleIfError time.Duration `yaml:"stale_if_error" default:"24h" check:"range 0s"`

	// Zone returns the time zone of the site of a language, without waiting. A nil Zone, or a nil result, stands for
	// an unknown zone.
	Zone func(language string) *time.Location `json:"-" yaml:"-"`

	// IgnoreCookies are the names of cookies that the site sets although its response
	// is the same for every client; a * at the end matches any rest of a name. A
	// response that sets another cookie is not stored. Clients receive no cookie of
	// the site. A list replaces the default, and [] ignores no cookie. Default: the
	// cookies of well-known load balancers, firewalls and language plugins, and PHP's
	// session.
	IgnoreCookies []string `yaml:"ignore_cookies" check:"cookie"`

	// SiteHeaders selects what Cache-Control of the site does. With "limit" responses with
	// no-store or private are not stored. With "ignore" they are, for anonymous clients:
	// for a site that sends these to everybody, as with a PHP session. With "obey" they
	// are not, and Cache-Control, Expires, Age, Date and Vary (RFC 9111, RFC 5861)
	// override [Options.TTL], [Options.StaleWhileRevalidate] and [Options.StaleIfError].
	// Default limit.
	SiteHeaders SiteHeaders `yaml:"site_headers" default:"limit" check:"in limit ignore obey"`
}

// SiteHeaders is a treatment of the site's header fields. The zero value is limit.
type SiteHeaders string

// The treatments beside limit.
const (
	Ignore SiteHeaders = "ignore"
	Obey   SiteHeaders = "obey"
)

// Errors is the key of [Options.TTL] for a 400 or 404, and no collection.
const Errors = "errors"

// jitter shortens d by up to a tenth, so that entries that were stored together do not
// expire together. A negative d is unchanged.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return d - time.Duration(rand.Int64N(int64(d)/10+1))
}

// Terms are the terms on which clients and caches get a response.
type Terms struct {
	Life   cache.Life    // zero: the response is not stored
	Date   time.Time     // when the response was made
	Aged   time.Duration // age of the response when the fetch began
	Shared bool          // all waiting clients may get the response

	Obstacle Obstacle // the zero Obstacle prevents nothing

	cacheControl string // the Cache-Control, if no cache may serve the response again by itself
	site         origin
}

// Terms returns the terms of the response to call, of the site of a language. began is the start of the fetch.
func (o Options) Terms(call *mapping.Call, language string, status int, header http.Header, began time.Time) Terms {
	obstacle, hasObstacle := o.Obstacle(header)
	t := Terms{Date: began, Obstacle: obstacle, Shared: !hasObstacle} // the response was made for the fetch
	life := o.configured(call, status)
	if t.Shared && life.Fresh > 0 {
		t.Life = life
	}
	if o.SiteHeaders == Obey {
		t.obey(originOf(header, began))
	}
	if call.ByClock() && !t.Life.Negative {
		var zone *time.Location
		if o.Zone != nil {
			zone = o.Zone(language)
		}
		untilMidnight := nextMidnight(began, zone).Sub(began)
		t.Life.Fresh = min(t.Life.Fresh, untilMidnight)
		t.Life.StaleWhileRevalidate = min(t.Life.StaleWhileRevalidate, untilMidnight-t.Life.Fresh)
	}
	switch {
	case hasObstacle:
		t.cacheControl = NoStore
	case t.Life == cache.Life{}:
		t.cacheControl = "no-cache"
	}
	return t
}

// obey replaces the configuration by the statements of the site.
func (t *Terms) obey(site origin) {
	t.site = site
	t.Date = site.date
	t.Aged = site.age
	t.Shared = t.Shared && !site.forbidsReuse()
	if t.Life != (cache.Life{}) {
		t.Life = site.life(t.Life)
	}
}

// nextMidnight returns the first midnight after now in zone, where the responses to calls ByClock change. Without a
// zone the result is the next quarter of an hour: every zone's midnight is such a time.
func nextMidnight(now time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return now.Truncate(15 * time.Minute).Add(15 * time.Minute)
	}
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, zone)
}

// Withheld returns the terms of a response that may be old: no cache stores it. Clients that wait share it.
func (t Terms) Withheld() Terms {
	t.Life = cache.Life{}
	t.cacheControl = NoStore
	return t
}

// descriptionTTL is how long the legacy's description of its interface is fresh. The defaults in the description
// change with the day.
const descriptionTTL = 5 * time.Minute

// configured returns the life of responses to call, regardless of the site's header fields.
func (o Options) configured(call *mapping.Call, status int) cache.Life {
	switch status {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusBadRequest:
		return cache.Life{Fresh: o.TTL[Errors], Negative: true}
	default:
		return cache.Life{}
	}
	ttl := cmp.Or(call.Endpoint.TTL, descriptionTTL)
	if configured, ok := o.TTL[call.Endpoint.Resource]; ok {
		ttl = configured
	}
	return cache.Life{Fresh: jitter(ttl), StaleWhileRevalidate: o.StaleWhileRevalidate, StaleIfError: o.StaleIfError}
}

// NoStore is the Cache-Control of a response to one client.
const NoStore = "private, no-store"

// Obstacle prevents that clients share a response of the site to an anonymous request.
type Obstacle struct {
	Cause  string // action of the site: "sets the cookie cart"
	Key    string // configuration key that permits sharing nevertheless
	Cookie string // that the site sets; "" for another cause
}

// String returns the message for operators.
func (o Obstacle) String() string {
	return fmt.Sprintf("%s: responses to anonymous clients are cached only if %s allows it", o.Cause, o.Key)
}

// Obstacle returns the first obstacle in the header of a response, if there is any. The call had no cookies: the
// content of the response does not depend on a cookie that the response sets.
func (o Options) Obstacle(header http.Header) (obstacle Obstacle, ok bool) {
	for _, line := range header.Values("Set-Cookie") {
		name, _, _ := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if !o.ignores(name) {
			return Obstacle{Cause: "sets the cookie " + name, Key: "cache.ignore_cookies", Cookie: name}, true
		}
	}
	sentDirectives := directivesOf(header)
	for _, directive := range []string{"no-store", "private"} {
		if sentDirectives.hasAny(directive) && o.SiteHeaders != Ignore {
			return Obstacle{Cause: "sends Cache-Control: " + directive, Key: "cache.site_headers"}, true
		}
	}
	return Obstacle{}, false
}

// Shares reports whether all clients may get a response to an anonymous request.
func (o Options) Shares(header http.Header) bool {
	_, hasObstacle := o.Obstacle(header)
	return !hasObstacle
}

// ignores reports whether a cookie of that name does not prevent sharing. One that
// authenticates a user always does.
func (o Options) ignores(cookie string) bool {
	if cookie == "" || edge.SignsIn(cookie) {
		return false
	}
	return slices.ContainsFunc(o.IgnoreCookies, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return cookie == pattern || open && strings.HasPrefix(cookie, prefix)
	})
}
