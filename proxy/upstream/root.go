package upstream

import (
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"
)

// Root is a REST root of a backend.
type Root struct {
	Name string // in metrics and logs
	URL  string // "" has no root
}

// root is the state of one REST root of a backend.
type root struct {
	name    string // as [RootName]
	url     string
	host    *host
	breaker *breaker

	paddingLog rate.Sometimes

	outage atomic.Pointer[Outage] // nil: the last call succeeded

	noRoutes      atomic.Int64 // consecutive responses with noRoute
	missingLog    rate.Sometimes
	missingLogged atomic.Bool // since the namespace was last there

	checked bool // health checks are running; guarded by recoveries.mu

	calls, failures, retries, refused, shed atomic.Uint64
}

// paddingLogEvery is how often the log has a record of padding, for each root.
const paddingLogEvery = time.Hour

// missingLogEvery is how often the log has a record of a missing namespace, for each root.
const missingLogEvery = time.Minute

func newRoot(name, url string, host *host, o Options) *root {
	r := &root{name: name, url: url, host: host}
	r.breaker = newBreaker(o.Breaker, func(from, to BreakerState) {
		fields := []zap.Field{zap.String("root", name), zap.String("from", string(from)), zap.String("to", string(to))}
		switch { // a probe that fails is part of the outage
		case from == Closed:
			o.Log.Warn("breaker", append(fields, zap.String("cause", r.failing().Cause))...)
		case to == Closed:
			o.Log.Info("breaker", fields...)
		}
		if o.Observer.Changed != nil {
			o.Observer.Changed(name, from, to)
		}
	})
	r.paddingLog.Interval, r.missingLog.Interval = paddingLogEvery, missingLogEvery
	return r
}
