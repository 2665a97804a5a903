package onward

import (
	"context"
)

// Replayed is the outcome of a replay for one target.
type Replayed struct {
	Target     string `json:"target"`
	Deliveries int    `json:"deliveries"` // that the target had refused
	Done       bool   `json:"done"`       // it has accepted them now
	Fault      string `json:"fault"`      // "" if Done
}

// replay sends what the target has refused once more, as one delivery.
func (c *courier) replay(ctx context.Context) Replayed {
	letters, records := c.read(ctx)
	r := Replayed{Target: c.target.Name, Deliveries: len(letters), Done: true}
	if len(letters) == 0 {
		return r
	}
	b := batch{replay: true}
	for _, l := range letters {
		b.add(l.purge(), 0, l.Time)
	}
	o := outcome{reason: "the rate limit of the target leaves no call in time"}
	if c.await(ctx) {
		o = c.deliver(ctx, ctx, b)
	}
	if r.Done, r.Fault = o.done, o.reason; o.done {
		c.forget(ctx, records)
	}
	return r
}
