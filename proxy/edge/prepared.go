package edge

import (
	"net/http"
	"time"
)

// The lane sends responses whose header it prepared with [Edge.SetHeader]. The methods here
// report what such a header depends on.

// ID identifies the edge in the process: what was prepared with one is not valid with another.
func (e *Edge) ID() uint64 { return e.id }

// SetLimitHeader sets the header fields of the quota of reads, without the count.
func (e *Edge) SetLimitHeader(h http.Header) {
	if e.reads != nil {
		h[policyField], h[rateField] = e.reads.policy, []string{""}
	}
}

// AdmitRead counts a read against the quota of its client, as [Edge.Admit] does, and returns the
// value of RateLimit; "" without a quota. It returns false for a read above the quota, which it
// does not count: Admit refuses that.
func (e *Edge) AdmitRead(r *http.Request, now time.Time) (left string, ok bool) {
	if e.reads == nil {
		return "", true
	}
	got, ok := e.reads.takeOrLeave(r.Context(), e.Client(r), now)
	if !ok {
		return "", false
	}
	return e.reads.state(got), true
}

// SameForOrigins reports whether the header is the same for all requests with an Origin.
func (e *Edge) SameForOrigins() bool { return e.cors == nil || e.cors.any }
