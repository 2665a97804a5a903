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
	Name  string
	Kind  Kind
	Alone bool // without Redis, or while it does not answer, each instance delivers its own

	Waiting int     // purges that this instance has made or read, and that may not be delivered
	Lag     float64 // age of the oldest of them
	Refused int     // deliveries that the target has refused, and that nobody sent again

	Delivered uint64 // purges, by this instance since it started
	Done      uint64 // deliveries
	Failed    uint64 // likewise, which are tried again
	Rejected  uint64 // likewise, which are not

	Last  time.Time // delivery; zero if there was none
	Fault string    // of the last one; "" if it succeeded
}

// count counts a delivery, and logs when the target begins to fail and when it recovers.
func (c *Courier) count(b batch, o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, before, target := &c.state, c.state.Fault, zap.String("target", c.Name)
	s.Last, s.Fault = time.Now().UTC(), o.reason
	switch {
	case o.done:
		if s.Done++; !b.again {
			s.Delivered += uint64(b.Purges)
		}
		if before != "" {
			c.log.Info("the target accepts purges again", target)
		}
	case o.refused:
		s.Rejected++
		c.log.Error("the target has refused a purge", target, zap.Int("status", o.status),
			zap.Int("purges", b.Purges), zap.Bool("all", b.All), zap.Strings("first", b.Tags[:min(len(b.Tags), 20)]))
	default:
		s.Failed++
		if before == "" {
			c.log.Warn("the target does not accept purges, which are sent again", target, zap.String("reason", o.reason))
		}
	}
}

// Status returns the state now.
func (c *Courier) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, b := c.state, c.sending
	if b.join(c.own); b.Purges < c.read.Purges {
		b = c.read
	}
	s.Name, s.Kind, s.Waiting = c.Name, c.Kind, b.Purges
	if s.Refused += len(c.letters); b.Purges > 0 {
		s.Lag = max(0, time.Since(b.Time).Seconds())
	}
	return s
}

// letters returns the letter of a batch, if the target has refused it for good, and one of everything, which
// replaces those beyond the limit.
func letters(b batch, o outcome) (letter, all string) {
	if !o.refused {
		return "", ""
	}
	l := b.purges
	l.Time = time.Now().UTC()
	letter = string(marshal(l))
	l.All, l.Soft, l.Tags = true, false, []string{}
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
func (c *Courier) keep(letter, all string) {
	if c.letters = append(c.letters, letter); len(c.letters) > redisstore.MaxRejected {
		c.letters = []string{all}
	}
}

// refusals returns the letters of what the target has refused, the oldest first.
func (c *Courier) refusals(ctx context.Context) (all []string) {
	if c.plan.Log != nil {
		all, _ = c.plan.Log.Rejected(ctx, c.group())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(all, c.letters...)
}

// purgesOf returns the purges of a letter. One that cannot be read may have been anything.
func purgesOf(letter string) purges {
	p := purges{Purges: 1, All: true}
	_ = json.Unmarshal([]byte(letter), &p)
	return p
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
	refused := c.refusals(ctx)
	if len(refused) == 0 {
		return Replayed{Target: c.Name, Done: true}
	}
	b := batch{replay: true}
	for _, letter := range refused {
		b.join(batch{purges: purgesOf(letter)})
	}
	o := outcome{reason: noCall}
	if c.await(ctx) {
		o = c.deliver(ctx, b)
	}
	if o.done && c.plan.Log != nil {
		_ = c.plan.Log.Forget(ctx, c.group(), refused) // if it fails they are sent once more
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.letters = slices.DeleteFunc(c.letters, func(l string) bool { return o.done && slices.Contains(refused, l) })
	return Replayed{c.Name, len(refused), o.done, o.reason}
}
