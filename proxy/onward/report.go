package onward

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Status is the state of a target, as this instance knows it.
type Status struct {
	Name  string `json:"name"`
	Kind  Kind   `json:"type"`
	Alone bool   `json:"-"` // without Redis, or while it does not answer, each instance delivers its own

	Waiting int     `json:"waiting"`     // purges that this instance has made or read, and that may not be delivered
	Lag     float64 `json:"lag_seconds"` // age of the oldest of them
	Refused int     `json:"refused"`     // deliveries that the target has refused, and that nobody sent again

	Delivered uint64 `json:"delivered"` // purges, by this instance since it started
	Done      uint64 `json:"done"`      // deliveries
	Failed    uint64 `json:"failed"`    // likewise, which are tried again
	Rejected  uint64 `json:"rejected"`  // likewise, which are not

	Last  time.Time `json:"last"`  // delivery; zero if there was none
	Fault string    `json:"fault"` // of the last one; "" if it succeeded
}

// count counts a delivery, and logs when the target begins to fail and when it recovers.
func (c *Courier) count(b batch, o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.state
	fault := c.state.Fault
	target := zap.String("target", c.Name)
	s.Last = time.Now().UTC()
	s.Fault = o.reason
	switch {
	case o.done:
		if s.Done++; !b.again {
			s.Delivered += uint64(b.Purges)
		}
		if fault != "" {
			c.log.Info("the target accepts purges again", target)
		}
	case o.refused:
		s.Rejected++
		c.log.Error("the target has refused a purge", target, zap.Int("status", o.status),
			zap.Int("purges", b.Purges), zap.Bool("all", b.All), zap.Strings("first", b.Tags[:min(len(b.Tags), 20)]))
	default:
		s.Failed++
		if fault == "" {
			c.log.Warn("the target does not accept purges, which are sent again", target, zap.String("reason", o.reason))
		}
	}
}

// Status returns the state now.
func (c *Courier) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	b := c.sending
	b.join(c.local)
	if b.Purges < c.waiting.Purges {
		b = c.waiting
	}
	s.Name = c.Name
	s.Kind = c.Kind
	s.Waiting = b.Purges
	s.Refused = s.Refused + len(c.letters)
	if b.Purges > 0 {
		s.Lag = max(0, time.Since(b.Time).Seconds())
	}
	return s
}

// Letter is a delivery that the target has refused for good.
type Letter struct {
	purges
	Status int `json:"status"`

	record string
}

// encode returns the letter of a batch, if it was refused, and one of everything, which replaces
// those beyond the limit.
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

func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	return data
}

// keep adds a letter to those in memory.
func (c *Courier) keep(letter, everything string) {
	if c.letters = append(c.letters, letter); len(c.letters) > redisstore.MaxRejected {
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
	Done       bool   `json:"done"`       // it has accepted them now
	Fault      string `json:"fault"`      // "" if Done
}

// Replay sends what the target has refused once more, as one delivery.
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
		_ = c.plan.Log.Forget(ctx, c.group(), records) // if it fails they are sent once more
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.letters = slices.DeleteFunc(c.letters, func(l string) bool { return o.done && slices.Contains(records, l) })
	return Replayed{Target: c.Name, Deliveries: len(letters), Done: o.done, Fault: o.reason}
}
