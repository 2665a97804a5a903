package edge

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Options configure an Edge. The zero value admits every request.
type Options struct {
	Trust Trust // proxies that name the client; the zero Trust trusts none

	Reads, Writes Quota       // of each client; the zero Quota disables the limit
	Clients       int         // remembered for each quota; 0 is 100,000
	SignIns       Quota       // of each client, for failed ones; the zero Quota disables the limit
	Shared        SharedQuota // counts for all instances; nil: each counts alone

	CORS CORS
	HSTS time.Duration // max-age of Strict-Transport-Security, where every connection is TLS; 0 omits the field

	ReadOnly              bool // at the start, see [Edge.SetReadOnly]
	WritesNeedCredentials bool // writes without credentials are refused

	MaxBodies   int64 // bytes of all request bodies in progress; 0 disables the limit
	MaxUncached int   // requests in progress that the cache did not answer; 0 disables the limit
}

// Edge holds the limits of one configuration.
type Edge struct {
	Trust

	id            uint64
	cors          *crossOrigin // nil disables CORS
	hsts          []string     // nil omits the field
	reads, writes *limiter     // nil disables the limit
	bodies        *semaphore.Weighted
	uncached      atomic.Int64 // requests in progress that the cache did not answer
	maxUncached   int64        // 0 disables the limit
	signIns       *signIns     // nil disables the limit

	readOnly        atomic.Bool
	needCredentials bool
}

// edges counts the edges of the process.
var edges atomic.Uint64

// New returns an Edge. A nil m disables metrics.
func New(o Options, m *telemetry.Metrics) *Edge {
	e := &Edge{
		Trust:  o.Trust,
		id:     edges.Add(1),
		cors:   newCrossOrigin(o.CORS),
		reads:  newLimiter("reads", o.Reads, o),
		writes: newLimiter("writes", o.Writes, o),
		bodies: newBodies(o.MaxBodies),

		maxUncached:     int64(o.MaxUncached),
		needCredentials: o.WritesNeedCredentials,
	}
	if q := o.SignIns; q.limits() {
		e.signIns = &signIns{metrics: m, failures: newFailures(q.Requests, q.Window, failingClients)}
	}
	if o.HSTS > 0 {
		e.hsts = []string{"max-age=" + strconv.Itoa(int(o.HSTS/time.Second))}
	}
	e.readOnly.Store(o.ReadOnly)
	return e
}

// Admit sets the header fields of [Edge.SetHeader] and counts a request against the quota of its
// client. The error is a refusal. A preflight is answered, and not counted.
func (e *Edge) Admit(w http.ResponseWriter, r *http.Request, now time.Time) (answered bool, err error) {
	if e.cors.preflight(w, r) {
		return true, nil
	}
	e.SetHeader(w, r)
	limit := e.reads
	if !safe(r.Method) {
		limit = e.writes
	}
	if limit == nil {
		return false, nil
	}
	return false, limit.admit(r.Context(), e.Client(r), now, w.Header())
}

// SetHeader sets the header fields that depend on the client and its connection, and so are
// part of no cached response: those of CORS and Strict-Transport-Security.
func (e *Edge) SetHeader(w http.ResponseWriter, r *http.Request) {
	e.cors.setHeader(w, r)
	if e.hsts != nil {
		w.Header()["Strict-Transport-Security"] = e.hsts
	}
}

// Vary returns the value of Vary of a response that depends on these request header fields,
// a list with commas, and on what all responses depend on.
func (e *Edge) Vary(fields string) []string { return e.cors.vary(fields) }

// safe reports whether a method only reads (RFC 9110, 9.2.1).
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
