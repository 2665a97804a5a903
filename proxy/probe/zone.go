package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// ZoneOptions configure a [Zone].
type ZoneOptions struct {
	Root     string           // the legacy's REST root of a language, as [i18n.Language.Upstream]
	Upstream upstream.Options // of the calls

	Log   *zap.Logger      // nil logs nothing
	Clock func() time.Time // nil is time.Now
}

const (
	minZoneWait = 5 * time.Second // after the first failure, doubled after each
	maxZoneWait = 10 * time.Minute
	zoneRefresh = 24 * time.Hour // after which a known zone is read again
)

// Zone learns the time zone of the site from the index of its REST root. The first call is made
// when the zone is needed: a proxy that caches nothing by the day makes no call. Zone is
// safe for concurrent use.
type Zone struct {
	options  ZoneOptions
	upstream *upstream.Caller
	ctx      context.Context // of the calls; canceled by Close
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu       sync.Mutex
	location *time.Location // nil if not known yet
	next     time.Time      // no call before
	wait     time.Duration  // after the next failure
}

// LearnZone returns a Zone, without a call.
func LearnZone(o ZoneOptions) *Zone {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Upstream.MaxConcurrent = 1
	o.Upstream.Called, o.Upstream.Log = nil, nil // the metrics of the site count the proxy's other calls alone
	z := &Zone{options: o, upstream: upstream.New(upstream.LegacyName, o.Upstream, []upstream.Root{{URL: o.Root}},
		new(upstream.Hosts)), wait: minZoneWait}
	z.ctx, z.cancel = context.WithCancel(context.Background())
	return z
}

// ErrNoZone is returned while the time zone of the site is not known.
var ErrNoZone = errors.New("the time zone of the site is not known")

// ErrZoneHidden is returned, together with [ErrNoZone], if the site responds and does not show its zone: security
// plugins close the index of the REST root, and leave the namespace open.
var ErrZoneHidden = errors.New("the index of the REST root does not show it: set cache.zone")

// Await returns the zone. It calls the site if the zone is not known yet.
func (z *Zone) Await(ctx context.Context) (*time.Location, error) {
	z.mu.Lock()
	cached := z.location
	z.mu.Unlock()
	if cached != nil {
		return z.Location(), nil // reads an old one again
	}
	location, err := z.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoZone, err)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	z.keep(location)
	return location, nil
}

// Location returns the zone without waiting; nil for an unknown zone. If the zone is unknown or
// older than a day, Location calls the site in the background: one call at a time, and after a
// failure not before a while has passed.
func (z *Zone) Location() *time.Location {
	z.mu.Lock()
	defer z.mu.Unlock()
	now := z.options.Clock()
	if z.ctx.Err() == nil && !now.Before(z.next) {
		z.next = now.Add(zoneRefresh) // unless the call fails
		z.running.Go(z.learn)
	}
	return z.location
}

// Close cancels a call in progress and waits for its end.
func (z *Zone) Close() {
	z.mu.Lock() // no call begins afterwards
	z.cancel()
	z.mu.Unlock()
	z.running.Wait()
	z.upstream.Close()
}

// learn reads the zone in the background.
func (z *Zone) learn() {
	location, err := z.read(z.ctx)
	z.mu.Lock()
	defer z.mu.Unlock()
	switch {
	case z.ctx.Err() != nil:
	case err == nil:
		z.keep(location)
	default:
		z.options.Log.Warn("the time zone of the site could not be read",
			zap.Error(err), zap.Bool("known", z.location != nil), zap.Duration("asked_again_after", z.wait))
		z.next = z.options.Clock().Add(z.wait)
		z.wait = min(2*z.wait, maxZoneWait)
	}
}

// keep stores a zone that was read. The caller holds mu.
func (z *Zone) keep(location *time.Location) {
	if z.location == nil || z.location.String() != location.String() {
		z.options.Log.Info("time zone of the site", zap.Stringer("zone", location))
	}
	z.location = location
	z.wait = minZoneWait
	z.next = z.options.Clock().Add(zoneRefresh)
}

func (z *Zone) read(ctx context.Context) (*time.Location, error) {
	response, err := read(ctx, z.upstream, z.options.Root, get(indexPath))
	var index restIndex
	switch {
	case err != nil &&
		(response.Status == 0 || response.Status == http.StatusTooManyRequests || response.Status >= http.StatusInternalServerError):
		return nil, err // the failure may pass
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrZoneHidden, err)
	case json.Unmarshal(response.Body, &index) != nil:
		return nil, fmt.Errorf("%w: no JSON", ErrZoneHidden) // the error may quote the response
	}
	location, err := index.location()
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrZoneHidden, err)
	}
	return location, err
}
