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

// All stands for every request in a list of resources, those of no resource too.
const All = "all"

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
