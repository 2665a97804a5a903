package proxy

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// AdminOptions are what an Admin is made of.
type AdminOptions struct {
	Token string    // the bearer token of /purge and /staging; "" switches them off
	Cache Purger    // nil: nothing is kept, so that there is nothing to end
	Site  i18n.Site // whose tags there are

	Secrets   *Secrets       // checks Token; nil: one of the interface's own
	Trusted   []netip.Prefix // proxies that are believed who sends a request
	Forwarded bool           // they tell it in Forwarded, and not in X-Forwarded-For
	Hosts     []string       // names that it is reached by, beside addresses and localhost

	Staging  *staging.Matrix   // told and changed at /staging and by the page; nil: there is none
	Findings *compare.Findings // told beside it; nil: nothing is compared

	Pprof   bool               // tells profiles below /debug/pprof/, to who has Token if there is one
	Metrics *telemetry.Metrics // told at /metrics; nil switches it off
	Tracer  trace.Tracer       // records spans of purges; nil records none
	Log     *zap.Logger        // nil logs nothing

	Status *Status // shown as a page; nil: there is none
	Switch Switch  // of the page; nil: it has none
	Config string  // what the page shows of it, without secrets
}

// Purger ends what shows any of a purge's tags, before it returns. It is a
// [cache.Cache].
type Purger interface {
	Purge(ctx context.Context, p cache.Purge)
}

// Admin is what an operator and an orchestrator reach, on a listener of its own.
type Admin struct {
	options  AdminOptions
	mux      *http.ServeMux
	trust    trust
	draining atomic.Bool
}

// NewAdmin makes the admin interface: /livez, /readyz, /purge, /staging, /metrics
// and the status page.
//
// /metrics asks for no token, as /livez does not: who scrapes has to count, and
// the token would let him purge. What it tells is the same for everybody, and has
// nothing in it that a client sent. But no page of a stranger should read it by having its
// own name lead here: what asks for no token is answered under [AdminOptions.Hosts] alone.
func NewAdmin(o AdminOptions) *Admin {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Secrets == nil {
		o.Secrets = NewSecrets(SecretsOptions{Metrics: o.Metrics, Log: o.Log, Clock: o.clock()})
	}
	a := &Admin{options: o, mux: http.NewServeMux(), trust: trust{proxies: o.Trusted, standard: o.Forwarded}}
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
	if o.Status != nil {
		a.statusRoutes()
	}
	return a
}

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
