package onward

import (
	"time"

	"go.uber.org/zap"
)

// Status is the state of a target, as this instance knows it.
type Status struct {
	Name  string `json:"name"`
	Kind  Kind   `json:"type"`
	Holds bool   `json:"holds"` // this instance delivers what is in the purge log
	Alone bool   `json:"-"`     // without Redis, or while it does not answer, each instance delivers its own

	Waiting int           `json:"waiting"`     // purges that this instance is to deliver
	Lag     time.Duration `json:"-"`           // age of the oldest of them
	Seconds float64       `json:"lag_seconds"` // Lag
	Refused int           `json:"refused"`     // deliveries that the target has refused, and that nobody sent again

	Delivered uint64 `json:"delivered"` // purges, by this instance since it started
	Done      uint64 `json:"done"`      // deliveries
	Failed    uint64 `json:"failed"`    // likewise, which are tried again
	Rejected  uint64 `json:"rejected"`  // likewise, which are not

	Last  time.Time `json:"last"`  // delivery; zero if there was none
	Fault string    `json:"fault"` // of the last one; "" if it succeeded
}

// count counts a delivery, and logs when the target begins to fail and when it recovers.
func (c *courier) count(b batch, o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, before := &c.state, c.state.Fault
	s.Last, s.Fault = time.Now().UTC(), o.reason
	switch {
	case o.done:
		if s.Done++; !b.again {
			s.Delivered += uint64(b.count)
		}
		if before != "" {
			c.log.Info("the target accepts purges again", zap.String("target", c.target.Name))
		}
	case o.refused:
		s.Rejected++
		c.log.Error("the target has refused a purge", zap.String("target", c.target.Name), zap.Int("status", o.status),
			zap.Int("purges", b.count), zap.Bool("all", b.All), zap.Strings("first", b.Tags[:min(len(b.Tags), 20)]))
	default:
		s.Failed++
		if before == "" {
			c.log.Warn("the target does not accept purges, which are sent again", zap.String("target", c.target.Name), zap.String("reason", o.reason))
		}
	}
}

// status returns the state now.
func (c *courier) status() Status {
	since, n := c.own.oldest()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	s.Name, s.Kind, s.Alone = c.target.Name, c.target.Kind, c.shared == nil || c.down
	s.Refused += len(c.letters)
	switch {
	case s.Alone:
		s.Holds = false
	case s.Holds:
		n, since = c.waiting, c.oldest
	default:
		n = 0 // another instance delivers them
	}
	s.Waiting = n
	if n > 0 {
		s.Lag = max(0, time.Since(since))
		s.Seconds = s.Lag.Seconds()
	}
	return s
}
