package proxy

import (
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
)

// CacheOptions say how long answers live. Zero values of the durations mean none.
type CacheOptions struct {
	TTL                  map[string]time.Duration // by resource, in place of the table's
	StaleWhileRevalidate time.Duration
	StaleIfError         time.Duration
	Negative             time.Duration         // of 400 and 404
	Zone                 func() *time.Location // of the site, at once; nil, or giving nil: unknown

	// IgnoreCookies are names of cookies with which an answer is shared all the same;
	// a * at the end stands for anything. No cookie reaches a client.
	IgnoreCookies []string

	OverrideNoStore bool // answers to anonymous readers are kept though the legacy says no-store or private
}

// zone is the site's, or nil.
func (o CacheOptions) zone() *time.Location {
	if o.Zone == nil {
		return nil
	}
	return o.Zone()
}

// life is how long the answer to call may be given; a zero life means not at all.
func (o CacheOptions) life(call *mapping.Call, status int, from http.Header, now time.Time) cache.Life {
	if !o.shares(from) {
		return cache.Life{}
	}
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
	life := cache.Life{Fresh: jitter(ttl), Revalidate: o.StaleWhileRevalidate, OnError: o.StaleIfError}
	if call.ByClock() {
		left := mapping.NextMidnight(now, o.zone()).Sub(now)
		life.Fresh = min(life.Fresh, left)
		life.Revalidate = min(life.Revalidate, left-life.Fresh)
	}
	return life
}

// jitter spreads the ends of answers that were made together, by a tenth.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d - time.Duration(rand.Int64N(int64(d)/10+1))
}
