package proxy

import (
	"fmt"
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
	ObeyOrigin      bool // what the legacy says of freshness counts, before what stands here
}

// zone is the site's, or nil.
func (o CacheOptions) zone() *time.Location {
	if o.Zone == nil {
		return nil
	}
	return o.Zone()
}

// life is how long the answer to call may be given, the fetch of which began at now; a zero
// life means not at all.
func (o CacheOptions) life(call *mapping.Call, status int, from http.Header, now time.Time) cache.Life {
	life := o.configured(call, status)
	if life.Fresh <= 0 || !o.shares(from) {
		return cache.Life{}
	}
	if o.ObeyOrigin {
		life = originOf(from, now).obey(life)
	}
	if call.ByClock() && !life.Negative {
		left := mapping.NextMidnight(now, o.zone()).Sub(now)
		life.Fresh = min(life.Fresh, left)
		life.StaleWhileRevalidate = min(life.StaleWhileRevalidate, left-life.Fresh)
	}
	return life
}

// configured is the life that answers to call have, whatever the legacy says.
func (o CacheOptions) configured(call *mapping.Call, status int) cache.Life {
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

// control gives the Cache-Control for clients of an answer of the legacy.
func (o CacheOptions) control(life cache.Life, from http.Header, now time.Time) string {
	switch {
	case !o.shares(from):
		return notToBeStored
	case life == cache.Life{} || life.Fresh <= 0 && !o.ObeyOrigin:
		return "no-cache"
	case o.ObeyOrigin:
		return originOf(from, now).tell(life)
	}
	return fmt.Sprintf("max-age=%d", seconds(life.Fresh)) + staleControl(life)
}

// notToBeStored is the Cache-Control of an answer made for one client.
const notToBeStored = "private, no-store"

// staleControl tells caches outside for how long an answer may be given once it is stale.
func staleControl(life cache.Life) (s string) {
	if life.StaleWhileRevalidate > 0 {
		s += fmt.Sprintf(", stale-while-revalidate=%d", seconds(life.StaleWhileRevalidate))
	}
	if life.StaleIfError > 0 {
		s += fmt.Sprintf(", stale-if-error=%d", seconds(life.StaleIfError))
	}
	return s
}

func seconds(d time.Duration) int { return int(d / time.Second) }

// jitter spreads the ends of answers that were made together, by a tenth.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d - time.Duration(rand.Int64N(int64(d)/10+1))
}
