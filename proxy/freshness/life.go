package freshness

import (
	"fmt"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
)

// Life returns how long the response to call, of the site of a language, may be served, from when
// its fetch began. The zero life means that it is not stored.
func (o Options) Life(call *mapping.Call, language string, status int, from http.Header, began time.Time) cache.Life {
	life := o.configured(call, status)
	if life.Fresh <= 0 || !o.Shares(from) {
		return cache.Life{}
	}
	if o.ObeyOrigin {
		life = originOf(from, began).life(life)
	}
	if call.ByClock() && !life.Negative {
		left := mapping.NextMidnight(began, o.zone(language)).Sub(began)
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

// Origin returns when a response was made, and its age when its fetch began. Unless the site's
// header fields count, both are those of a response that was made for the fetch.
func (o Options) Origin(from http.Header, began time.Time) (date time.Time, age time.Duration) {
	if !o.ObeyOrigin {
		return began, 0
	}
	of := originOf(from, began)
	return of.date, of.age
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
