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

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// exchange is one request and its response. It has the 256 bytes of a size class of the allocator: the
// next one costs a hit 4 % (BenchmarkHit).
type exchange struct {
	responder
	*target   // shared with other requests, and immutable
	selection // the legacy, until the migration selects
	report

	edge *edge.Edge
	body *edge.Body // nil: not read
}

// report is what the log, the metrics and the trace of a request need beside its response.
type report struct {
	started time.Time
	span    trace.Span // nil without a tracer
	outcome telemetry.Outcome
	known   bool           // what [cache.Cache.Look] returned for it
	failure *problem.Error // nil: none
	calls   calls
	fetched atomic.Pointer[calls] // of a fetch that this request started, and that may outlive it
}

// calls are those to backends that a request caused.
type calls struct {
	upstreamRecord
	sample *sample // to compare; nil if there is none
	tester bool    // of a tester, whose request goes to the candidate
}

// join adds the calls of a fetch.
func (c *calls) join(fetch *calls) {
	c.add(fetch.count, fetch.status, fetch.took)
	c.sample = fetch.sample
}

// setTarget makes t the target of a request.
func (x *exchange) setTarget(t *target) {
	x.target, x.key = t, t.legacyKey
	x.texts = i18n.Catalog(t.choice.Spoken)
}

// overrideMethod makes the method that the client means that of the request, before anything else
// reads it. With an error it stays POST.
func (x *exchange) overrideMethod() error {
	if x.in.Method != http.MethodPost || x.in.Header.Values(mapping.MethodField) == nil {
		return nil
	}
	method, err := mapping.Override(x.in.Header.Values(mapping.MethodField))
	if err == nil {
		x.in = x.in.WithContext(x.in.Context()) // net/http keeps its own
		x.in.Method = method
	}
	return err
}

// client returns the address of the client.
func (x *exchange) client() netip.Addr { return x.edge.Client(x.in) }

// lookupContext is the context of a lookup in the cache: that of the request, with the
// client. Only a lookup that waits determines the client; a hit does not pay for it.
type lookupContext exchange

func (x *exchange) lookupContext() context.Context { return (*lookupContext)(x) }

// Deadline implements [context.Context].
func (c *lookupContext) Deadline() (time.Time, bool) { return c.in.Context().Deadline() }

// Done implements [context.Context].
func (c *lookupContext) Done() <-chan struct{} { return c.in.Context().Done() }

// Err implements [context.Context].
func (c *lookupContext) Err() error { return c.in.Context().Err() }

// Value implements [context.Context].
func (c *lookupContext) Value(key any) any {
	if key == (upstream.ClientKey{}) {
		return (*exchange)(c).client()
	}
	return c.in.Context().Value(key)
}

// context returns the context of calls for this request alone.
func (x *exchange) context() context.Context { return x.callContext(x.in.Context(), x.client()) }

// callContext returns the context of calls that the request causes, on behalf of a client.
// Responses do not depend on it.
func (x *exchange) callContext(ctx context.Context, client netip.Addr) context.Context {
	return &callContext{ctx, x.id, client}
}

// requestID returns the id that a proxy in front set, if it is harmless in a log, or a new
// one. Ids are unique, and no secrets.
func requestID(received string) string {
	if received == "" || len(received) > 64 || strings.ContainsFunc(received, notInID) {
		return newID()
	}
	return received
}

func notInID(c rune) bool {
	return !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.ContainsRune("._-", c))
}

func newID() string { return strconv.FormatUint(rand.Uint64(), 36) }
