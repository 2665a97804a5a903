package legacyclients

import (
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// Options configure the legacy's namespace at the facade.
type Options struct {
	Names mapping.Backend // of the legacy: its namespace and language parameter

	Deprecated time.Time // sent in Deprecation; zero sends none
	Sunset     time.Time // sent in Sunset; zero sends none

	Off       []string   // resources that are switched off; [All] is every request
	Brownouts []Brownout // when more is switched off
}

// Clients serve the legacy's namespace. A nil pointer serves none.
type Clients struct {
	options Options
	turns   []atomic.Uint64 // requests during each brownout
}

// New returns the clients of the options; nil for nil.
func New(o *Options) *Clients {
	if o == nil {
		return nil
	}
	return &Clients{options: *o, turns: make([]atomic.Uint64, len(o.Brownouts))}
}

// Namespace returns the namespace of the legacy; "" for no clients.
func (c *Clients) Namespace() string {
	if c == nil {
		return ""
	}
	return c.options.Names.Place()
}

// Names returns the names of the legacy.
func (c *Clients) Names() *mapping.Backend { return &c.options.Names }

// Off reports whether a request for a resource ("" for none) is refused now.
func (c *Clients) Off(now time.Time, resource string) bool {
	if refers(c.options.Off, resource) {
		return true
	}
	for i := range c.options.Brownouts {
		b := &c.options.Brownouts[i]
		if b.at(now) && (len(b.Resources) == 0 || refers(b.Resources, resource)) && c.turn(i, uint64(b.Percent)) {
			return true
		}
	}
	return false
}

// turn counts a request of a brownout and reports whether it is one of the share: of 100
// requests in a row these are exactly percent, evenly spread.
func (c *Clients) turn(brownout int, percent uint64) bool {
	n := c.turns[brownout].Add(1)
	return n*percent/100 != (n-1)*percent/100
}
