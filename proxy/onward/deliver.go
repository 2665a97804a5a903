package onward

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// call is one request to a target.
type call struct {
	method, url string
	header      http.Header
	body        []byte
}

// outcome is that of a delivery. If neither done nor refused it is tried again.
type outcome struct {
	done, refused bool          // refused: the target will not accept it, however often it is sent
	after         time.Duration // that the target demands before the next call
	status        int           // of the response; 0 is none
	reason        string        // without a URL and what the target sent
}

const noCall = "the rate limit of the target leaves no call in time"

// deliver sends a batch. The limit has admitted its first call; others wait for theirs.
func (c *courier) deliver(ctx context.Context, r *route, b batch) (o outcome) {
	o.done = true
	for i, out := range r.calls(b) {
		if i > 0 && !r.await(ctx) {
			o = outcome{reason: noCall}
		} else if got, err := r.transport.Send(ctx, out.method, out.url, out.header, out.body); err != nil {
			o = outcome{reason: err.Error()}
		} else {
			o = r.judge(got)
		}
		if !o.done {
			break
		}
	}
	if o.done || ctx.Err() == nil {
		c.count(r.Name, b, o)
	}
	return o
}

// judge returns the outcome of a response.
func (t Target) judge(got upstream.Response) outcome {
	o := outcome{status: got.Status, after: upstream.RetryAfter(got.Header)}
	switch s := got.Status; {
	case s >= 200 && s < 300:
		o.done = t.Kind != Cloudflare || cloudflareDone(got.Body)
	case t.Kind == Nginx && (s == http.StatusNotFound || s == http.StatusPreconditionFailed):
		o.done = true // the modules answer so if nothing is stored
	case s == http.StatusRequestTimeout || s == http.StatusTooManyRequests:
		if o.after == 0 && t.Kind == Fastly {
			o.after = fastlyReset(got.Header, time.Now())
		}
	case s >= 300 && s < 500:
		o.refused = true
	}
	if !o.done {
		o.reason = fmt.Sprintf("status %d", o.status)
	}
	return o
}

// admit takes a call of the target's limit, of all instances if Redis answers. It returns the wait
// until there is one, and then has taken none.
func (r *route) admit(ctx context.Context) (wait time.Duration) {
	if r.Limit.Calls == 0 {
		return 0
	}
	if r.shared != nil {
		if a, err := r.shared.Take(ctx, "onward "+r.Name, r.Limit.every(), r.Limit.Calls); err == nil {
			return a.Wait
		}
	}
	taken := r.limiter.Reserve()
	if wait = taken.Delay(); wait > 0 {
		taken.Cancel()
	}
	return wait
}

// await waits for the limit.
func (r *route) await(ctx context.Context) bool {
	wait := r.admit(ctx)
	for ; wait > 0 && ctx.Err() == nil; wait = r.admit(ctx) {
		sleep(ctx, wait)
	}
	return wait == 0
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
