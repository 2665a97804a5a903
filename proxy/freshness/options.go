// Package freshness decides how long a response of the site may be served from the cache,
// whether clients share it, and which Cache-Control they get. [Options.Life] starts with the
// configuration (options.go), asks sharing.go for what prevents sharing, and, with
// cache.obey_origin, honours the site's header fields by RFC 9111 and RFC 5861 (origin.go,
// directives.go).
package freshness

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
)

// Options configure how long responses live. A zero duration disables what it limits.
type Options struct {
	TTL                  map[string]time.Duration // by resource; those without one have the table's
	StaleWhileRevalidate time.Duration
	StaleIfError         time.Duration
	Negative             time.Duration // of 400 and 404

	// Zone returns the time zone of the site, without waiting. If it is nil, or returns
	// nil, the zone is unknown.
	Zone func() *time.Location

	// IgnoreCookies are names of cookies that do not prevent sharing; a * at the end
	// stands for anything. No cookie is sent to a client.
	IgnoreCookies []string

	OverrideNoStore bool // share anonymous responses although the site sends no-store or private
	ObeyOrigin      bool // the site's Cache-Control, Expires, Age, Date and Vary override the options above
}

// zone returns the site's time zone; nil if it is unknown.
func (o Options) zone() *time.Location {
	if o.Zone == nil {
		return nil
	}
	return o.Zone()
}

// Life returns how long the response to call may be served, from when its fetch began. The
// zero life means that it is not stored.
func (o Options) Life(call *mapping.Call, status int, from http.Header, began time.Time) cache.Life {
	life := o.configured(call, status)
	if life.Fresh <= 0 || !o.Shares(from) {
		return cache.Life{}
	}
	if o.ObeyOrigin {
		life = originOf(from, began).life(life)
	}
	if call.ByClock() && !life.Negative {
		left := mapping.NextMidnight(began, o.zone()).Sub(began)
		life.Fresh = min(life.Fresh, left)
		life.StaleWhileRevalidate = min(life.StaleWhileRevalidate, left-life.Fresh)
	}
	return life
}

// configured returns the life of responses to call, regardless of the site's header fields.
func (o Options) configured(call *mapping.Call, status int) cache.Life {
	switch status {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusBadRequest:
		return cache.Life{Fresh: o.Negative, Negative: true}
	default:
		return cache.Life{}
	}
	ttl := call.Endpoint.TTL
	if configured, ok := o.TTL[call.Endpoint.Resource]; ok {
		ttl = configured
	}
	return cache.Life{Fresh: jitter(ttl), StaleWhileRevalidate: o.StaleWhileRevalidate, StaleIfError: o.StaleIfError}
}

// NoStore is the Cache-Control of a response to one client.
const NoStore = "private, no-store"

// CacheControl returns the Cache-Control for clients of a response with that life.
func (o Options) CacheControl(life cache.Life, from http.Header, began time.Time) string {
	switch {
	case !o.Shares(from):
		return NoStore
	case life == cache.Life{} || life.Fresh <= 0 && !o.ObeyOrigin:
		return "no-cache"
	case o.ObeyOrigin:
		return originOf(from, began).cacheControl(life)
	}
	return fmt.Sprintf("max-age=%d", seconds(life.Fresh)) + staleDirectives(life)
}

// staleDirectives are those of RFC 5861, for caches between calfacade and the client.
func staleDirectives(life cache.Life) (s string) {
	if life.StaleWhileRevalidate > 0 {
		s += fmt.Sprintf(", stale-while-revalidate=%d", seconds(life.StaleWhileRevalidate))
	}
	if life.StaleIfError > 0 {
		s += fmt.Sprintf(", stale-if-error=%d", seconds(life.StaleIfError))
	}
	return s
}

func seconds(d time.Duration) int { return int(d / time.Second) }

// jitter shortens d by up to a tenth, so that entries that were stored together do not
// expire together.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d - time.Duration(rand.Int64N(int64(d)/10+1))
}
