package onward

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// calls returns the calls that deliver a batch.
func (c *courier) calls(b batch) []call {
	t := c.target
	if t.Kind == Nginx {
		return t.nginxCalls(b, c.site)
	}
	if t.Kind == Webhook {
		return t.webhookCalls(b, c.site, time.Now())
	}
	keys := []string{c.keys.All()}
	if !b.All {
		keys = c.keys.Purged(b.Tags)
	}
	switch t.Kind {
	case Fastly:
		return t.fastlyCalls(b, keys)
	case Cloudflare:
		return t.cloudflareCalls(keys)
	default:
		return t.varnishCalls(b, keys)
	}
}

// deliver sends a batch. The limit has admitted its first call; others wait for theirs, unless
// stopping ends.
func (c *courier) deliver(stopping, ctx context.Context, b batch) outcome {
	c.sending.Lock()
	defer c.sending.Unlock()
	o := outcome{done: true}
	for i, call := range c.calls(b) {
		if i > 0 && !c.await(stopping) {
			return outcome{reason: "the instance stops"}
		}
		if o = c.send(ctx, call); !o.done {
			break
		}
	}
	c.count(b, o)
	if o.done {
		c.mu.Lock()
		c.repeats.add(b, time.Now())
		c.mu.Unlock()
	}
	return o
}

// await waits for the limit.
func (c *courier) await(stopping context.Context) bool {
	for stopping.Err() == nil {
		wait := c.admit(c.ctx)
		if wait == 0 {
			return true
		}
		sleep(stopping, wait)
	}
	return false
}

// send makes one call.
func (c *courier) send(ctx context.Context, out call) outcome {
	got, err := c.transport.Send(ctx, out.method, out.url, out.header, out.body)
	if err != nil {
		return outcome{reason: err.Error()}
	}
	return c.target.judge(got)
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
