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
	Brownouts []Brownout // times at which more resources are switched off
}

// Clients serve the legacy's namespace. A nil pointer serves none.
type Clients struct {
	options Options
	counts  []atomic.Uint64 // requests during each brownout
}

// New returns the clients of the options; nil for nil.
func New(o *Options) *Clients {
	if o == nil {
		return nil
	}
	return &Clients{options: *o, counts: make([]atomic.Uint64, len(o.Brownouts))}
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
		if b.at(now) && (len(b.Resources) == 0 || refers(b.Resources, resource)) && c.refuses(i, uint64(b.Percent)) {
			return true
		}
	}
	return false
}

// refuses counts a request during a brownout, and reports whether it is one of those that the
// brownout refuses: exactly percent of 100 requests in a row, evenly spread.
func (c *Clients) refuses(brownout int, percent uint64) bool {
	n := c.counts[brownout].Add(1)
	return n*percent/100 != (n-1)*percent/100
}
