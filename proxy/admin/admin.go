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
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Options are what an Admin is made of.
type Options struct {
	Token string    // the bearer token of /purge and /staging; "" switches them off
	Cache Purger    // nil: nothing is kept, so that there is nothing to end
	Site  i18n.Site // whose tags there are

	Secrets Secrets                        // compares Token; required with it
	Client  func(*http.Request) netip.Addr // the address that wrong tokens count for; required with Token
	Hosts   []string                       // host names of the listener, beside addresses and localhost

	Staging  *staging.Matrix   // told and changed at /staging and by the page; nil: there is none
	Findings *compare.Findings // told beside it; nil: nothing is compared

	Pprof   bool               // tells profiles below /debug/pprof/, to who has Token if there is one
	Metrics *telemetry.Metrics // told at /metrics; nil switches it off
	Tracer  trace.Tracer       // records spans of purges; nil records none
	Log     *zap.Logger        // nil logs nothing
}

// Secrets compares what an address sent with a secret. While wait is above 0 the address has
// been wrong too often, and nothing was compared.
type Secrets interface {
	Check(place string, from netip.Addr, sent, want string) (ok bool, wait time.Duration)
}

// Purger ends what shows any of a purge's tags, before it returns. It is a
// [cache.Cache].
type Purger interface {
	Purge(ctx context.Context, p cache.Purge)
}

// Admin is what an operator and an orchestrator reach, on a listener of its own.
type Admin struct {
	options  Options
	mux      *http.ServeMux
	spaces   mapping.TagSpaces
	draining atomic.Bool
}

// New makes the admin interface: /livez, /readyz, /purge, /staging, /metrics
// and the status page.
//
// /metrics asks for no token, as /livez does not: who scrapes has to count, and
// the token would let him purge. What it tells is the same for everybody, and has
// nothing in it that a client sent. But no page of a stranger should read it by having its
// own name lead here: what asks for no token is answered under [Options.Hosts] alone.
func New(o Options) *Admin {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Token != "" && (o.Secrets == nil || o.Client == nil) {
		panic("BUG: a token without Secrets and Client")
	}
	a := &Admin{options: o, mux: http.NewServeMux(), spaces: mapping.NewTagSpaces(len(o.Site), o.Site.Together)}
	if o.Token != "" {
		a.mux.HandleFunc("/purge", a.purge)
		a.mux.HandleFunc("/staging", a.staging)
	} else {
		a.mux.HandleFunc("/purge", purgeOff)
		a.mux.HandleFunc("/staging", stagingOff)
	}
	a.mux.HandleFunc("GET /livez", a.underOwnName(func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }))
	a.mux.HandleFunc("GET /readyz", a.underOwnName(a.ready))
	if o.Metrics != nil {
		a.mux.HandleFunc("GET /metrics", a.underOwnName(o.Metrics.ServeHTTP))
	}
	if o.Pprof {
		a.mux.HandleFunc("/debug/pprof/", a.profile)
	}
	return a
}

// Handle adds what else the listener serves, by a pattern of [http.ServeMux].
func (a *Admin) Handle(pattern string, h http.HandlerFunc) { a.mux.HandleFunc(pattern, h) }

// Options returns what the interface was made of.
func (a *Admin) Options() Options { return a.options }

// Drain makes /readyz fail, so that no new clients are sent here.
func (a *Admin) Drain() { a.draining.Store(true) }

// ServeHTTP implements [http.Handler].
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// ready does not ask the legacy: if it is down, every copy would leave the load
// balancer at once, and clients would get less than an error that explains.
func (a *Admin) ready(w http.ResponseWriter, _ *http.Request) {
	if a.draining.Load() {
		say(w, http.StatusServiceUnavailable, "draining")
		return
	}
	say(w, http.StatusOK, "ok")
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // a prober that hung up needs no answer
}
