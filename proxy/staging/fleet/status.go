package fleet

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/proxy/staging"
)

// Status describes the decisions, except the settings of cells.
type Status struct {
	Version  uint64 // of the decisions; 0: this instance decides alone, or nothing was decided
	Shared   bool   // all instances decide together
	Certain  staging.Certainty
	ReadOnly *staging.Change // the change by which all instances refuse writes; nil: they do not
}

// Status returns the status. It does not wait for Redis.
func (f *Fleet) Status() Status {
	s := Status{Shared: f.Shared(), Certain: f.Certainty()}
	f.mu.Lock()
	defer f.mu.Unlock()
	s.Version = f.have.Version
	if f.state.refusesWrites() {
		c := f.state.Mode.change()
		s.ReadOnly = &c
	}
	return s
}

// Certainty returns what this instance knows now. It does not wait for Redis.
func (f *Fleet) Certainty() staging.Certainty { return f.Await(ended) }

// ended is a context in which nothing waits.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// Await waits until this instance knows the latest decisions, or that Redis does not respond.
func (f *Fleet) Await(ctx context.Context) staging.Certainty {
	l := f.link.Load()
	if l == nil {
		return staging.Current
	}
	asOf, current := l.store.Known(ctx)
	switch {
	case current:
		return staging.Current
	case asOf.IsZero():
		return staging.Unknown
	}
	// Both clocks must agree, as for the log.
	now, lease := time.Now(), l.store.Lease()
	if now.Sub(asOf) <= lease && now.Round(0).Sub(asOf.Round(0)) <= lease {
		return staging.Held
	}
	return staging.Unknown
}
