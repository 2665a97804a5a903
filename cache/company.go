package cache

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrCaller is wrapped by errors of a fetch that are about the caller for which it was
// made alone: others who wait for it fetch again.
var ErrCaller = errors.New("the fetch is refused to its caller")

// company is who waits for a fetch beside the caller for which it is made.
type company struct {
	of any // the caller; set before the flight lands

	mu      sync.Mutex
	callers []any
	told    func(caller any) // nil: nobody wants to know
}

// maxCompany is how many callers are told apart: what brings a fetch on is that there
// are others.
const maxCompany = 16

func (c *company) join(caller any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.callers) == maxCompany || slices.Contains(c.callers, caller) {
		return
	}
	c.callers = append(c.callers, caller)
	if c.told != nil {
		c.told(caller)
	}
}

// companyKey marks the context of a fetch that others may wait for.
type companyKey struct{}

// OnJoin has told called for each caller, as of [Options.Caller], that waits for the
// fetch made with ctx or begins to, until stop. It must not block. One at a time is
// told.
func OnJoin(ctx context.Context, told func(caller any)) (stop func()) {
	c, ok := ctx.Value(companyKey{}).(*company)
	if !ok {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = told
	for _, caller := range c.callers {
		told(caller)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.told = nil
	}
}
