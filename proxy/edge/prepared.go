package edge

// The lane sends responses whose header it prepared with [Edge.SetHeader]. The methods here
// report what such a header depends on.

// ID identifies the edge in the process: what was prepared with one is not valid with another.
func (e *Edge) ID() uint64 { return e.id }

// LimitsReads reports whether the header of a response to a read depends on its client.
func (e *Edge) LimitsReads() bool { return e.reads != nil }

// SameForOrigins reports whether the header is the same for all requests with an Origin.
func (e *Edge) SameForOrigins() bool { return e.cors == nil || e.cors.any }
