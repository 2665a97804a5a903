package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/rs/cors"
)

// EdgeOptions say what a request must pass before anything is done for it. The
// zero value lets everything pass.
type EdgeOptions struct {
	Trust edge.Trust // proxies that name the client; the zero Trust trusts none

	Reads, Writes Quota       // of each client; the zero Quota is no limit
	Clients       int         // remembered at once, for each quota; 0 is 100,000
	SignIns       Quota       // of each client, of those that fail; the zero Quota is no limit
	Shared        SharedQuota // counts for all copies; nil: each counts alone

	CORS CORSOptions
	HSTS time.Duration // max-age of Strict-Transport-Security on answers over TLS; 0: without it

	ReadOnly              bool // until SetReadOnly says otherwise
	WritesNeedCredentials bool // a write without any is refused here

	MaxBodies   int64 // bytes of all request bodies under way; 0: no limit
	MaxUncached int   // requests under way that the cache did not answer; 0: no limit
}

// edge is what all requests of a facade meet.
type edgeState struct {
	number        uint64 // no other edge of the process has it
	trust         edge.Trust
	reads, writes *limiter // nil: no limit
	cors          *cors.Cors
	anyOrigin     bool     // gets the same from cors, or there is none
	vary          []string // of an answer out of the cache
	hsts          []string // nil: none
	readOnly      atomic.Bool
	credentials   bool
	bodies        bodies
	front         front
	signIns       *signIns // nil: no limit
}

func newEdge(o EdgeOptions, cookies bool, m *telemetry.Metrics) *edgeState {
	e := &edgeState{
		number:      edges.Add(1),
		trust:       o.Trust,
		reads:       newLimiter("reads", o.Reads, o),
		writes:      newLimiter("writes", o.Writes, o),
		cors:        newCORS(o.CORS, o.Reads.limits() || o.Writes.limits()),
		credentials: o.WritesNeedCredentials,
		bodies:      newBodies(o.MaxBodies),
		front:       front{most: int64(o.MaxUncached)},
		signIns:     newSignIns(o.SignIns, m),
	}
	e.anyOrigin = e.cors == nil || slices.Contains(o.CORS.Origins, "*")
	e.vary = e.varying(varies(cookies))
	if o.HSTS > 0 {
		e.hsts = []string{"max-age=" + strconv.Itoa(int(o.HSTS/time.Second))}
	}
	e.readOnly.Store(o.ReadOnly)
	return e
}

// varying adds to a value of Vary what every answer depends on.
func (e *edgeState) varying(on string) []string {
	if e.cors == nil {
		return []string{on}
	}
	return []string{on + ", " + varyOrigin[0]}
}

// admit decides whether a request goes any further: answered is one that has got
// its answer, a preflight.
func (f *Facade) admit(x *exchange) (answered bool, err error) {
	if f.edge.cors != nil && preflight(x.in) {
		f.edge.cors.HandlerFunc(&x.out, x.in)
		return true, nil
	}
	l := f.edge.reads
	if !safe(x.in.Method) {
		l = f.edge.writes
	}
	if l == nil {
		return false, nil
	}
	return false, f.limit(x, l)
}

// fields sets what depends on who asks and how, and so is part of no entry.
func (e *edgeState) fields(x *exchange) {
	out := x.out.Header()
	if e.cors != nil {
		if x.in.Header["Origin"] != nil {
			e.cors.HandlerFunc(&x.out, x.in)
		}
		out["Vary"] = varyOrigin
	}
	if e.hsts != nil && e.trust.Secure(x.in) {
		out["Strict-Transport-Security"] = e.hsts
	}
}

// safe reports whether a method only reads (RFC 9110, 9.2.1).
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
