package freshness

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// Surrogate selects what caches in front of the facade get with responses: keys by which they purge
// them, and how long they may serve them. The zero value adds nothing to Cache-Control and Age.
//
// No cache in front may serve a response for longer than the facade would. One that obeys RFC 9111
// counts Age, which the facade sends, from max-age; so the value of max-age is the same for all hits
// of an entry, and a response that is stale here is stale there. max-age is a second less than the
// lifetime, because Age is rounded down. A response that the facade may have to replace at any moment
// ([cache.Result].Fleeting) is stored nowhere.
type Surrogate struct {
	// Tags is the header field with the keys of a response: surrogate-key, cache-tag
	// or xkey. Each names something that the response shows, such as events:12 or
	// es:events. The cache in front should remove the field. Default: none.
	Tags string `yaml:"tags" default:"none" check:"in none surrogate-key cache-tag xkey"`

	// Prefix begins every key, before a dot. Sites that share a cache in front need
	// different prefixes. At most 16 letters, digits, - and _. Default empty.
	Prefix string `yaml:"prefix" check:"keys"`

	// Lifetime is the field from which the cache in front reads how long it may serve
	// a response: cache-control, cdn-cache-control (RFC 9213), surrogate-control, or
	// x-accel-expires for nginx, which ignores Age. With cdn-cache-control and
	// surrogate-control, Cache-Control is for browsers alone, and has no stale
	// directives. Default cache-control.
	Lifetime string `yaml:"lifetime" default:"cache-control" check:"in cache-control cdn-cache-control surrogate-control x-accel-expires"`

	// MaxAge is the longest time for which browsers may serve a response, counted as
	// `cache.ttl` is. Default 0: they validate each time, and so see what they have
	// written. 8760h: as long as the facade.
	MaxAge time.Duration `yaml:"max_age" check:"range 0s"`

	// SMaxAge is the longest time for which shared caches may serve a response. No
	// value makes it longer than `cache.ttl`. Default 8760h: as long as the facade if
	// one of the keys above names a cache in front, and else not at all.
	SMaxAge time.Duration `yaml:"s_maxage" default:"8760h" check:"range 0s"`
}

// CacheTag is the value of [Surrogate.Tags] for the field with commas between keys. Other fields have spaces.
const CacheTag = "cache-tag"

// The values of [Surrogate.Lifetime] beside cache-control.
const (
	CDNCacheControl  = "cdn-cache-control"
	SurrogateControl = "surrogate-control"
	AccelExpires     = "x-accel-expires" // has the rest of the lifetime
)

// Unlimited is the value of a limit that no lifetime reaches.
const Unlimited = 365 * 24 * time.Hour

// SurrogateFields are the header fields that a stored response can have by [Surrogate.SetEntry], beside Cache-Control.
var SurrogateFields = []string{"Surrogate-Key", "Cache-Tag", "Xkey", "Cdn-Cache-Control", "Surrogate-Control"}

// Keys makes the keys of responses and of purges.
func (s Surrogate) Keys() Keys { return Keys{s.Prefix} }

// hasKeys reports whether responses have their keys.
func (s Surrogate) hasKeys() bool { return s.Tags != "" && s.Tags != "none" }

// targeted reports whether Lifetime is a field that has directives, instead of Cache-Control.
func (s Surrogate) targeted() bool {
	return s.Lifetime == CDNCacheControl || s.Lifetime == SurrogateControl
}

// Active reports whether caches in front get anything. MaxAge is for browsers.
func (s Surrogate) Active() bool {
	return s.namesCache() || s != Surrogate{} && s.SMaxAge < Unlimited
}

// namesCache reports whether a field is set that only a cache in front reads: a field of keys, or of lifetimes other
// than Cache-Control.
func (s Surrogate) namesCache() bool {
	return s.hasKeys() || s.targeted() || s.Lifetime == AccelExpires
}

// SetEntry sets the fields of a stored response with tags.
func (s Surrogate) SetEntry(h http.Header, terms Terms, tags []string) {
	if terms.cacheControl != "" {
		s.SetFleeting(h)
		h["Cache-Control"] = []string{terms.cacheControl}
		return
	}
	main, shared := s.split(terms)
	h["Cache-Control"] = []string{main}
	if s.targeted() {
		h[http.CanonicalHeaderKey(s.Lifetime)] = []string{shared}
	}
	if s.hasKeys() {
		separator := " "
		if s.Tags == CacheTag {
			separator = ","
		}
		h[http.CanonicalHeaderKey(s.Tags)] = []string{strings.Join(s.Keys().Of(tags), separator)}
	}
}

// split returns the value of Cache-Control, and of a field for the cache in front alone. If
// that is there, the first is for browsers, and for shared caches that nobody purges. The lifetimes
// include the age of the response, which clients get in Age.
func (s Surrogate) split(t Terms) (main, shared string) {
	less := time.Second // makes up for Age, which is rounded down
	_, isSet := t.site.lifetime()
	isSet = isSet || s.Active()
	if s == (Surrogate{}) {
		s = Surrogate{MaxAge: Unlimited, SMaxAge: Unlimited}
		less = 0
		isSet = true
	}
	life := (t.Life.Fresh + t.site.age).Truncate(time.Second)
	browsers, forBrowsers := life, true
	_, split := t.site.duration("s-maxage")
	if split {
		browsers, forBrowsers = t.site.privateLifetime()
	}
	browserAge := min(s.MaxAge, max(0, browsers-less))
	common := min(s.SMaxAge, max(0, life-less))
	if !isSet {
		common = 0 // without purges a shared cache would serve responses from before a write
	}
	rules, stale := t.extraDirectives()
	if s.targeted() {
		return join([]string{seconds("max-age", browserAge)}, rules), join([]string{seconds("max-age", common)}, rules, stale)
	}
	var parts []string
	if forBrowsers {
		parts = append(parts, seconds("max-age", browserAge))
	}
	if split || browserAge != common {
		parts = append(parts, seconds("s-maxage", common))
	}
	if browserAge == s.MaxAge && !slices.Contains(rules, "must-revalidate") {
		// must-revalidate keeps browsers from stale-while-revalidate, which Chromium obeys from max-age=0 on.
		parts = append(parts, "must-revalidate")
	}
	parts = append(parts, rules...)
	if !s.namesCache() && slices.ContainsFunc(parts, forbidsStale) {
		stale = nil
	}
	return join(parts, stale), ""
}

// forbidsStale reports whether a directive makes the directives of RFC 5861 void (RFC 9111, 4.2.4, 5.2.2.10).
// Varnish and nginx, which namesCache is about, obey these all the same.
func forbidsStale(directive string) bool {
	return directive == "must-revalidate" || directive == "proxy-revalidate" || strings.HasPrefix(directive, "s-maxage=")
}

// extraDirectives returns the directives beside lifetimes: others of the site, and the directives of RFC 5861, for
// caches between calfacade and the client.
func (t Terms) extraDirectives() (rules, stale []string) {
	for _, name := range []string{"must-revalidate", "proxy-revalidate"} {
		if t.site.hasAny(name) {
			rules = append(rules, name)
		}
	}
	if t.Life.StaleWhileRevalidate > 0 {
		stale = append(stale, seconds("stale-while-revalidate", t.Life.StaleWhileRevalidate))
	}
	if t.Life.StaleIfError > 0 {
		stale = append(stale, seconds("stale-if-error", t.Life.StaleIfError))
	}
	return rules, stale
}

func join(lists ...[]string) string { return strings.Join(slices.Concat(lists...), ", ") }

// seconds returns a directive with a time.
func seconds(name string, d time.Duration) string {
	return name + "=" + strconv.Itoa(int(d/time.Second))
}

// SetFleeting sets the fields of a response that no other cache may serve again.
func (s Surrogate) SetFleeting(h http.Header) {
	h["Cache-Control"] = []string{"no-cache"}
	if s.targeted() {
		// Caches that read the field ignore Cache-Control. Not all of them know no-store.
		h[http.CanonicalHeaderKey(s.Lifetime)] = []string{"max-age=0, no-store"}
	}
	h.Del(s.Tags)
}

// SetOwn sets the fields of a response of the facade alone: no purge reaches the response, and a new configuration
// changes the response. control is the Cache-Control without regard to s.
func (s Surrogate) SetOwn(h http.Header, control string) {
	h["Cache-Control"] = []string{control}
	if s.Active() {
		s.SetFleeting(h)
	}
}

// SetNoStore sets the fields of a response that no cache may store: an error that the facade makes, or a
// response to OPTIONS. Without Cache-Control caches may store 404, 405, 414 and 501 (RFC 9110, 15.1).
func (s Surrogate) SetNoStore(h http.Header) {
	if s.Active() {
		s.SetFleeting(h)
	}
	h["Cache-Control"] = []string{"no-store"}
}

// Expires returns the value of X-Accel-Expires of a response: the remaining seconds of the lifetime in the cache in
// front. ok reports whether responses have the field.
func (s Surrogate) Expires(result cache.Result) (seconds int64, ok bool) {
	if s.Lifetime != AccelExpires || result.Fleeting {
		return 0, s.Lifetime == AccelExpires
	}
	return max(0, int64((min(s.SMaxAge, result.Entry.Life.Fresh)-result.Age)/time.Second)), true
}
