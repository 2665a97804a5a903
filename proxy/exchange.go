package proxy

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// exchange is one request and its response. An exchange is the context of its calls.
type exchange struct {
	context.Context // of the request
	id              string
	request         *http.Request
	out             recorder
	body            *edge.Body   // nil before the body is read
	texts           i18n.Catalog // language of the facade's own texts
	target          *target      // shared with other requests, and immutable
	site            *site        // serves the request
	key             string       // of its response in the cache, at the site
	edge            *edge.Edge

	// Values that the log, the metrics and the trace need beside the response.
	started     time.Time
	span        trace.Span // nil without a tracer
	outcome     telemetry.Outcome
	purgesKnown bool           // result of [cache.Cache.ReadLog] for this request
	failure     *problem.Error // nil without an error
	calls       calls
	claim       *idempotency.Claim // of a create with an Idempotency-Key; nil: without a key, or settled
	effect      effect
	fetched     atomic.Pointer[calls] // of a fetch that this request started, and that may outlive it
}

// overrideMethod gives a POST the method that the client means, before anything else reads the method.
// With an error the method stays POST.
func (x *exchange) overrideMethod() error {
	if x.request.Header.Values(mapping.MethodField) == nil {
		return nil
	}
	method, err := mapping.Override(x.request.Header.Values(mapping.MethodField))
	if err == nil {
		x.request = x.request.WithContext(x.request.Context()) // net/http keeps the other request
		x.request.Method = method
	}
	return err
}

// client returns the address of the client.
func (x *exchange) client() netip.Addr { return x.edge.Client(x.request) }

// Value implements [context.Context]. Value finds out the client only for a call that asks: a hit does not pay
// for that.
func (x *exchange) Value(key any) any {
	if key == (upstream.ClientKey{}) {
		return x.client()
	}
	return x.Context.Value(key)
}

// requestID returns the id that a proxy in front set, if that id is harmless in a log, or a new id. Ids are
// unique, and no secrets.
func requestID(received string) string {
	if received == "" || len(received) > 64 || strings.ContainsFunc(received, notInID) {
		return strconv.FormatUint(rand.Uint64(), 36)
	}
	return received
}

func notInID(c rune) bool {
	return !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.ContainsRune("._-", c))
}

// effect is whether a write has changed something at the site.
type effect int

const (
	noEffect effect = iota // also before the write is sent
	unknownEffect
	knownEffect // the site has made the item, or other items on the way
)

// settle settles the claim of a create, before its response is sent.
func (x *exchange) settle(status int, h http.Header, body []byte) {
	if x.claim == nil {
		return
	}
	claim := x.claim
	x.claim = nil
	ctx := context.WithoutCancel(x)
	var err error
	switch x.effect {
	case noEffect:
		err = claim.Drop(ctx)
	case unknownEffect:
		claim.Leave(ctx)
	case knownEffect:
		fields := h.Clone()
		delete(fields, "X-WP-Nonce") // of the first request
		err = claim.Keep(ctx, idempotency.Response{Status: status, Header: fields, Body: body})
	}
	if err != nil {
		x.site.options.Log.Warn("idempotency key", zap.String("request_id", x.id), zap.Error(err))
	}
}

// settleUnanswered settles the claim of a create that got no response.
func (x *exchange) settleUnanswered() {
	if x.effect == knownEffect {
		x.effect = unknownEffect
	}
	x.settle(0, nil, nil)
}

// recorder is a ResponseWriter that records status and size for the log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
	err    error // of writing the body: the client closed the connection

	beforeHeader func() // called once before the header is sent; nil calls nothing
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	call := r.beforeHeader
	if call != nil {
		r.beforeHeader = nil
		call()
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap lets http.MaxBytesReader reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
