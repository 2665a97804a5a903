package redisstore

import (
	"context"
	"sync/atomic"
	"time"
)

// pace is how long this Redis takes to answer: the mean of its recent answers, in nanoseconds; 0 before the first.
type pace struct{ mean atomic.Int64 }

// near is the longest round trip to a Redis whose connections cost nothing to make again.
const near = 5 * time.Millisecond

// add counts an answer to a call that began at a time. Concurrent answers may overwrite each other.
func (p *pace) add(began time.Time) {
	took := min(time.Since(began), patience)
	mean := time.Duration(p.mean.Load())
	if mean == 0 {
		mean = took
	}
	p.mean.Store(int64(max(1, mean+(took-mean)/4)))
}

// far reports whether a lost connection costs more than the goroutine of [patiently]. An unknown Redis is far.
func (p *pace) far() bool {
	mean := time.Duration(p.mean.Load())
	return mean == 0 || mean > near
}

// connect returns four usual answers: a new connection and a call on it take three round trips.
func (p *pace) connect() time.Duration { return 4 * time.Duration(p.mean.Load()) }

// brief returns how long a request waits for an entry or a quota: as this Redis takes, at least [Options.Brief], and
// at most [Options.Timeout] if that is longer.
func (b *base) brief() time.Duration {
	return max(b.options.Brief, min(b.pace.connect(), b.options.Timeout))
}

// lasting returns how long a call may take that its caller does not wait for. A look at a log that was lost takes four
// round trips.
func (p *pace) lasting() time.Duration { return min(max(patience, 2*p.connect()), connecting) }

// patiently makes a call whose caller waits until ctx is done. At a Redis that is far away the call then goes on: to
// cancel it closes its connection, and a new one takes three round trips.
func patiently[T any](ctx context.Context, b *base, call func(context.Context) (T, error)) (answer T, err error) {
	if !b.pace.far() || ctx.Err() != nil {
		return call(ctx)
	}
	type outcome struct {
		answer T
		err    error
	}
	outcomes := make(chan outcome, 1)
	go func() {
		lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(b.pace.lasting(), b.options.Timeout))
		defer cancel()
		defer context.AfterFunc(b.ctx, cancel)()
		answer, err := call(lasting)
		outcomes <- outcome{answer: answer, err: err}
	}()
	select {
	case o := <-outcomes:
		return o.answer, o.err
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}
