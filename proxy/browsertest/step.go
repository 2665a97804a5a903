//go:build !race

package browsertest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	// stepLimit is the time that a step may take. The slowest takes seconds, and some more of
	// them on a busy machine.
	stepLimit = 90 * time.Second
	// margin is left before the deadline of a test: Go ends it with stacks of goroutines, in
	// which a step has no name.
	margin = 10 * time.Second
)

// limit returns the time that a step may take now.
func limit(t *testing.T) time.Duration {
	deadline, ok := t.Deadline()
	if !ok {
		return stepLimit
	}
	return limitBefore(time.Until(deadline))
}

// limitBefore returns the time that a step may take before a deadline.
func limitBefore(deadline time.Duration) time.Duration {
	return max(0, min(stepLimit, deadline-margin))
}

// step is something to do in a tab, and what it waits for.
type step[T any] struct {
	name   string
	action chromedp.Action[T]
}

// within carries out the step and gives up after a time. Its errors name the step.
func (s step[T]) within(ctx context.Context, limit time.Duration) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := chromedp.Run(ctx, s.action)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("not in %v: %s: %w", limit.Round(time.Millisecond), s.name, err)
	case err != nil:
		err = fmt.Errorf("%s: %w", s.name, err)
	}
	return result, err
}

// starting cancels the start of a browser unless it has started in time: a context with a
// deadline would be the browser's until the end of the test.
func starting(t *testing.T, name string, cancel context.CancelFunc, start func() error) {
	t.Helper()
	limit := limit(t)
	timer := time.AfterFunc(limit, cancel)
	err := start()
	if !timer.Stop() {
		t.Fatalf("not in %v: %s: %v", limit, name, err)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
