package edge

import (
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/proxy/problem"
)

// Options configure an Edge. The zero value admits every request.
type Options struct {
	Trust Trust // proxies that name the client; the zero Trust trusts no proxy

	Reads, Writes Quota       // of each client; the zero Quota disables the limit
	SignIns       Quota       // of each client, for failed ones; the zero Quota disables the limit
	Shared        SharedQuota // counts for all instances; nil: each counts alone

	CORS CORS
	HSTS time.Duration // max-age of Strict-Transport-Security, where every connection is TLS; 0 omits the field

	ReadOnly              bool // at the start, see [Edge.SetReadOnly]
	WritesNeedCredentials bool // writes without credentials are refused

	// One client has at most a quarter of the free part of these limits.
	MaxBodies   int64 // bytes of all request bodies in progress; 0 disables the limit
	MaxUncached int64 // requests in progress that the cache did not answer; 0 disables the limit
}

// Edge holds the limits of one configuration.
type Edge struct {
	Trust
	options      Options
	reportSignIn func(result string)

	ID   uint64       // in the process: a header prepared with one edge is not valid with another
	cors *crossOrigin // nil disables CORS
	hsts []string     // nil omits the field

	reads, writes, signIns *limiter // nil disables the limit

	bodies   shares // bytes of request bodies in progress
	uncached shares // requests in progress that the cache did not answer
	readOnly atomic.Bool
}

// edges counts the edges of the process.
var edges atomic.Uint64

// New returns an Edge, which reports each sign-in that is "failed" or "refused".
func New(o Options, reportSignIn func(result string)) *Edge {
	e := &Edge{
		Trust: o.Trust, options: o, reportSignIn: reportSignIn, ID: edges.Add(1), cors: newCrossOrigin(o.CORS),
		reads: newLimiter("reads", o.Reads, o.Shared, limitedClients), writes: newLimiter("writes", o.Writes, o.Shared, limitedClients),
		signIns: newLimiter("sign-ins", o.SignIns, nil, failingClients),
		bodies:  shares{limit: o.MaxBodies}, uncached: shares{limit: o.MaxUncached},
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
	if r.Method == http.MethodOptions && e.cors != nil && e.cors.preflight(w, r) {
		return true, nil
	}
	e.SetHeader(w, r)
	limit := e.writes
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions: // only read (RFC 9110, 9.2.1)
		limit = e.reads
	}
	if limit == nil {
		return false, nil
	}
	allowance, _ := limit.take(r.Context(), e.Client(r), now)
	w.Header()[policyField] = limit.policy
	w.Header()[rateField] = []string{limit.state(allowance)}
	if allowance.Wait > 0 {
		return false, problem.RateLimited(allowance.Wait)
	}
	return false, nil
}

// SetHeader sets the header fields that depend on the client and the connection, and so are
// in no cached response: the fields of CORS and Strict-Transport-Security.
func (e *Edge) SetHeader(w http.ResponseWriter, r *http.Request) {
	if e.cors != nil {
		e.cors.setHeader(w, r)
	}
	if e.hsts != nil {
		w.Header()["Strict-Transport-Security"] = e.hsts
	}
}

// Vary returns the value of Vary of a response that depends on these request header fields,
// a list with commas, and on the fields that all responses depend on.
func (e *Edge) Vary(fields string) []string {
	if !e.SameForOrigins() {
		fields += ", " + varyOrigin[0]
	}
	return []string{fields}
}

// readOnlyRetry is the Retry-After of writes in read-only mode. Only the operator knows the end of
// the mode.
const readOnlyRetry = time.Minute

// SetReadOnly switches read-only mode, in which writes are refused. A write in progress is
// completed.
func (e *Edge) SetReadOnly(readOnly bool) { e.readOnly.Store(readOnly) }

// ReadOnly reports whether writes are refused.
func (e *Edge) ReadOnly() bool { return e.readOnly.Load() }

// AdmitWrite refuses a write that the facade need not send. authenticated reports credentials
// other than a nonce, which has no effect without a cookie. Content-Range names a part of an
// item, which the site would store as the whole item (RFC 9110, 14.4).
func (e *Edge) AdmitWrite(r *http.Request, authenticated bool) error {
	switch {
	case e.ReadOnly():
		return problem.ReadOnly(readOnlyRetry)
	case r.Header["Content-Range"] != nil:
		return problem.ContentRange()
	case e.options.WritesNeedCredentials && !authenticated:
		return problem.Unauthorized()
	}
	return nil
}

// failingClients is the number of clients with failed sign-ins that are remembered. Each attempt to sign
// in is a call to the site, and may be a guess.
const failingClients = 10_000

// AdmitSignIn refuses a request, which has credentials or the password of an item, after too many failures of the
// client.
func (e *Edge) AdmitSignIn(r *http.Request, now time.Time) error {
	if e.signIns == nil {
		return nil
	}
	wait := e.signIns.wait(e.Client(r), now)
	if wait > 0 {
		e.reportSignIn("refused")
		return problem.RateLimited(wait)
	}
	return nil
}

// CountSignIn counts a request if the site's status reports that the client failed to
// sign in.
func (e *Edge) CountSignIn(client netip.Addr, id Identity, password bool, status int, now time.Time) {
	if e.signIns != nil && id.failed(password, status) {
		e.reportSignIn("failed")
		e.signIns.takeHere(client, now)
	}
}

// The lane sends responses with headers that [Edge.SetHeader] prepared. The methods here
// report the conditions of such a header.

// SetLimitHeader sets the header fields of the quota of reads, without the count.
func (e *Edge) SetLimitHeader(h http.Header) {
	if e.reads != nil {
		h[policyField] = e.reads.policy
		h[rateField] = []string{""}
	}
}

// AdmitRead counts a read against the quota of its client, as [Edge.Admit] does, and returns the
// value of RateLimit; "" without a quota. A read above the quota is not counted, and
// AdmitRead returns false: Admit refuses the read.
func (e *Edge) AdmitRead(r *http.Request, now time.Time) (state string, ok bool) {
	if e.reads == nil {
		return "", true
	}
	client := e.Client(r)
	allowance, tookToken := e.reads.take(r.Context(), client, now)
	if allowance.Wait > 0 {
		if tookToken {
			e.reads.bucket(client).AllowN(now, -1)
		}
		return "", false
	}
	return e.reads.state(allowance), true
}

// SameForOrigins reports whether the header is the same for all requests with an Origin.
func (e *Edge) SameForOrigins() bool { return e.cors == nil || e.cors.anyOrigin }

// Body returns r as a body of a client. The body counts towards MaxBodies from the first read to the release: the
// bytes that arrive, not the announced bytes. A client that announces many and sends none must not keep others out.
func (e *Edge) Body(client netip.Addr, r io.Reader) *Body {
	return &Body{reader: r, client: client, edge: e}
}

// Body is a request body. Whoever has one must call Release.
type Body struct {
	reader io.Reader
	client netip.Addr
	edge   *Edge
	n      int64
}

// Read implements [io.Reader]. The error may be a refusal.
func (b *Body) Read(p []byte) (int, error) {
	n, err := b.reader.Read(p)
	if !b.edge.bodies.take(b.client, int64(n), 0) {
		return 0, problem.Overloaded()
	}
	b.n += int64(n)
	return n, err
}

// Release ends the counting of a body that is no longer in memory. A nil Body has no effect.
func (b *Body) Release() {
	if b != nil {
		b.edge.bodies.release(b.client, b.n)
		b.n = 0
	}
}

// AdmitUncached admits a request of a client that the cache does not answer, until leave is called. The zero address
// is a refresh. The error is a refusal. A quarter of the limit is reserved for writes, for which there is no stale
// response instead. A response that the client does not read counts until the facade cuts the response off.
func (e *Edge) AdmitUncached(client netip.Addr, write bool) (leave func(), err error) {
	reserved := int64(0)
	if !write {
		reserved = e.options.MaxUncached / 4
	}
	if !e.uncached.take(client, 1, reserved) {
		return nil, problem.Overloaded()
	}
	return func() { e.uncached.release(client, 1) }, nil
}
