package cache

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrCaller is wrapped by errors of a fetch that concern only the caller for which it was
// made: other callers that wait for it fetch again.
var ErrCaller = errors.New("the fetch is refused to its caller")

// waiters are the callers that wait for a fetch beside the one for which it is made.
type waiters struct {
	of any // the caller for which it is made; set before the flight lands

	mu      sync.Mutex
	callers []any
	joined  func(caller any) // nil: nobody observes
}

// maxWaiters bounds the callers that are counted one by one: that there are others is what counts.
const maxWaiters = 16

func (w *waiters) join(caller any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.callers) == maxWaiters || slices.Contains(w.callers, caller) {
		return
	}
	w.callers = append(w.callers, caller)
	if w.joined != nil {
		w.joined(caller)
	}
}

// waitersKey marks the context of a fetch that others may wait for.
type waitersKey struct{}

// OnJoin calls joined for each caller, as of [Options.Caller], that waits for the fetch made
// with ctx or begins to, until stop. joined must not block, and is not called concurrently.
func OnJoin(ctx context.Context, joined func(caller any)) (stop func()) {
	w, ok := ctx.Value(waitersKey{}).(*waiters)
	if !ok {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.joined = joined
	for _, caller := range w.callers {
		joined(caller)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.joined = nil
	}
}
