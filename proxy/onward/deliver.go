package onward

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

const noCall = "the rate limit of the target leaves no call in time"

// deliver sends a batch. The limit has admitted the first call; further calls wait for the limit.
func (c *Courier) deliver(ctx context.Context, b batch) (o outcome) {
	o.done = true
	for i, out := range c.calls(b) {
		if i > 0 && !c.await(ctx) {
			o = outcome{reason: noCall}
		} else if response, err := c.transport.Send(ctx, out.method, out.url, out.header, out.body); err != nil {
			o = outcome{reason: err.Error()}
		} else {
			o = c.judge(response)
		}
		if !o.done {
			break
		}
	}
	if o.done || ctx.Err() == nil {
		c.count(b, o)
	}
	return o
}

// judge returns the outcome of a response.
func (t Target) judge(response upstream.Response) outcome {
	o := outcome{status: response.Status, retryAfter: upstream.RetryAfter(response.Header)}
	s := response.Status
	switch {
	case s >= 200 && s < 300:
		o.done = t.Kind != Cloudflare || cloudflareDone(response.Body)
	case t.Kind == Nginx && (s == http.StatusNotFound || s == http.StatusPreconditionFailed):
		o.done = true // the modules answer so if nothing is stored
	default:
		o.refused = s >= 300 && s < 500 && s != http.StatusRequestTimeout && s != http.StatusTooManyRequests
	}
	if !o.done {
		o.reason = fmt.Sprintf("status %d", o.status)
	}
	return o
}

// admit takes a call of the target's limit, of all instances if Redis answers. A wait above 0 is the time until a
// call is available, and none was taken.
func (c *Courier) admit(ctx context.Context) (wait time.Duration) {
	if c.Limit.Calls == 0 {
		return 0
	}
	if c.plan.Log != nil {
		if a, err := c.plan.Log.Take(ctx, "onward "+c.Name, c.Limit.interval(), c.Limit.Calls); err == nil {
			return a.Wait
		}
	}
	reservation := c.limiter.Reserve()
	wait = reservation.Delay()
	if wait > 0 {
		reservation.Cancel()
	}
	return wait
}

// await waits for the limit.
func (c *Courier) await(ctx context.Context) bool {
	wait := c.admit(ctx)
	for ; wait > 0 && ctx.Err() == nil; wait = c.admit(ctx) {
		upstream.Sleep(ctx, wait)
	}
	return wait == 0
}
