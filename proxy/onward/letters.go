package onward

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Letter is a delivery that the target has refused for good.
type Letter struct {
	purges
	Status int `json:"status"`

	record string
}

// encode returns the letter of a batch, if the batch was refused, and a letter of everything, which replaces
// the letters beyond the limit.
func encode(b batch, o outcome) (letter, everything string) {
	if !o.refused {
		return "", ""
	}
	l := Letter{purges: b.purges, Status: o.status}
	l.Time = time.Now().UTC()
	letter = string(marshal(l))
	l.All = true
	l.Soft = false
	l.Tags = []string{}
	return letter, string(marshal(l))
}

// keep adds a letter to those in memory.
func (c *Courier) keep(letter, everything string) {
	c.letters = append(c.letters, letter)
	if len(c.letters) > redisstore.MaxRejected {
		c.letters = []string{everything}
	}
}

// Letters returns the refused deliveries, the oldest first.
func (c *Courier) Letters(ctx context.Context) []Letter {
	var records []string
	if c.plan.Log != nil {
		records, _ = c.plan.Log.Rejected(ctx, c.group())
	}
	c.mu.Lock()
	records = append(records, c.letters...)
	c.mu.Unlock()
	letters := make([]Letter, len(records))
	for i, record := range records {
		// A record that cannot be read may have been any purge.
		letters[i] = Letter{purges: purges{Purges: 1, All: true}, record: record}
		_ = json.Unmarshal([]byte(record), &letters[i])
	}
	return letters
}

// Replayed is the outcome of a replay for one target.
type Replayed struct {
	Target     string `json:"target"`
	Deliveries int    `json:"deliveries"` // that the target had refused
	Done       bool   `json:"done"`       // the target has accepted them now
	Fault      string `json:"fault"`      // "" if Done
}

// Replay sends the refused purges once more, as one delivery.
func (c *Courier) Replay(ctx context.Context) Replayed {
	letters := c.Letters(ctx)
	if len(letters) == 0 {
		return Replayed{Target: c.Name, Done: true}
	}
	b := batch{replay: true}
	records := []string{}
	for _, l := range letters {
		b.join(batch{purges: l.purges})
		records = append(records, l.record)
	}
	o := outcome{reason: noCall}
	if c.await(ctx) {
		o = c.deliver(ctx, b)
	}
	if o.done && c.plan.Log != nil {
		_ = c.plan.Log.Forget(ctx, c.group(), records) // after a failure they are sent once more
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.letters = slices.DeleteFunc(c.letters, func(l string) bool { return o.done && slices.Contains(records, l) })
	return Replayed{Target: c.Name, Deliveries: len(letters), Done: o.done, Fault: o.reason}
}
