package admin

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Options configure an [Admin].
type Options struct {
	Token      string    // the bearer token of /purge and /staging; "" disables them
	PurgeToken string    // another bearer token, of /purge alone; "" disables it; requires Secrets and Client as Token
	Cache      Purger    // nil: there is no cache, and a purge does nothing
	Site       i18n.Site // the languages, whose codes tags contain

	Secrets Secrets                        // compares Token; required with it
	Client  func(*http.Request) netip.Addr // the address that wrong tokens count for; required with Token
	Hosts   []string                       // host names of the listener, beside addresses and localhost

	Staging  *staging.Matrix   // nil: there is no candidate
	Fleet    *fleet.Fleet      // changes Staging for all instances; nil: for this one
	Findings *compare.Findings // what comparisons found; nil: nothing is compared

	Onward *onward.Deliverer // passes purges on; nil: to nobody

	Metrics *telemetry.Metrics // served at /metrics; nil disables it
	Tracer  trace.Tracer       // records spans of purges; nil records none
	Log     *zap.Logger        // nil logs nothing
}

// Secrets compares what an address sent with secrets. While wait is above 0 the address has
// been wrong too often, and nothing was compared.
type Secrets interface {
	Check(place string, from netip.Addr, sent string, want ...string) (ok bool, wait time.Duration)
}

// Purger invalidates every response that shows one of a purge's tags, before it returns. A
// [cache.Cache] implements it.
type Purger interface {
	Purge(ctx context.Context, p cache.Purge) (shared bool)
}

// Admin serves operators and orchestrators on a listener of its own.
type Admin struct {
	options  Options
	mux      *http.ServeMux
	spaces   mapping.TagSpaces
	draining atomic.Bool
}

// Handle adds a handler for a pattern of [http.ServeMux].
func (a *Admin) Handle(pattern string, h http.HandlerFunc) { a.mux.HandleFunc(pattern, h) }

// Options returns the options of the interface.
func (a *Admin) Options() Options { return a.options }

// Drain makes /readyz fail, so that load balancers send no new clients.
func (a *Admin) Drain() { a.draining.Store(true) }

// ServeHTTP implements [http.Handler].
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }
