package upstream

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// Limits of the pause before a retry, which doubles with each retry.
const (
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = time.Second
)

// backoff returns the pause before attempt n, from 2 on. Half of it is random, so that calls
// that failed together are not repeated together.
func backoff(n int) time.Duration {
	d := min(firstBackoff<<min(n-2, 10), lastBackoff)
	return d/2 + rand.N(d/2)
}

// retryable reports whether the same call may soon succeed. A call that timed out has already
// cost the client the wait and the site the work.
func retryable(got Response, err error) bool {
	if err != nil {
		kind := KindOf(err)
		return kind == Connect && !timedOut(err) || kind == Broken
	}
	switch got.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Do calls a REST root within the limits of all calls to it. It repeats a call if that is safe,
// may help and is in the budget. Errors are those of send, [ErrOpen] or [ErrShed]. attempts is
// the number of attempts that passed breaker and bulkhead.
func (u *Caller) Do(ctx context.Context, root string, out Request) (got Response, attempts int, err error) {
	to := u.roots[root]
	if to == nil {
		panic("BUG: no such root")
	}
	ctx, cancel := context.WithTimeout(ctx, u.options.QueueTimeout+u.options.Timeout)
	defer cancel()
	to.host.budget.earn()
	got, err = u.attempt(ctx, to, &out, 1)
	for attempts = 1; u.again(ctx, to, &out, attempts, got, err); attempts++ {
		next, failure := u.attempt(ctx, to, &out, attempts+1)
		if errors.Is(failure, ErrOpen) || errors.Is(failure, ErrShed) {
			break // the earlier failure is more informative
		}
		got, err = next, failure
	}
	if errors.Is(err, ErrOpen) || errors.Is(err, ErrShed) {
		attempts = 0
	}
	return got, attempts, err
}

// again reports, after the pause, whether a call is to be repeated after a number of attempts.
func (u *Caller) again(ctx context.Context, to *root, out *Request, attempts int, got Response, err error) bool {
	return attempts <= u.options.Retries && out.safe() && retryable(got, err) && to.breaker.refuses(ClientOf(ctx)) == nil &&
		to.host.budget.spend() && sleep(ctx, backoff(attempts+1))
}
