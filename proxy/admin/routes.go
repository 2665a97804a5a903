package admin

import (
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"go.uber.org/zap"
)

// New makes the admin interface: /livez, /readyz, /purge, /staging, /metrics
// and the status page.
//
// /metrics and the probes require no token: a scraper needs nothing else, and with the token
// it could purge. Metrics contain nothing that a client sent. Against DNS rebinding these
// paths are served under [Options.Hosts] alone.
func New(o Options) *Admin {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Token+o.PurgeToken != "" && (o.Secrets == nil || o.Client == nil) {
		panic("BUG: a token without Secrets and Client")
	}
	if o.Fleet == nil {
		o.Fleet = aloneWith(o.Staging)
	}
	a := &Admin{options: o, mux: http.NewServeMux(), spaces: mapping.NewTagSpaces(len(o.Site), o.Site.Together)}
	if o.Token+o.PurgeToken != "" {
		a.mux.HandleFunc("/purge", a.purge)
	} else {
		a.mux.HandleFunc("/purge", purgeOff)
	}
	if o.Token != "" {
		a.mux.HandleFunc("/purge/targets", a.targets)
		a.mux.HandleFunc("/purge/replay", a.replay)
		a.mux.HandleFunc("/staging", a.staging)
		a.mux.HandleFunc("/debug/pprof/", a.profile)
	} else {
		a.mux.HandleFunc("/purge/", purgeOff)
		a.mux.HandleFunc("/staging", stagingOff)
	}
	a.mux.HandleFunc("GET /livez", a.underOwnName(a.live))
	a.mux.HandleFunc("GET /readyz", a.underOwnName(a.ready))
	if o.Metrics != nil {
		a.mux.HandleFunc("GET /metrics", a.underOwnName(o.Metrics.ServeHTTP))
	}
	return a
}

// ServeHealth answers a check of a load balancer on the public listener, under any Host, and reports
// whether r is one: a probe, or OPTIONS / of HTTP/1.0, by which HAProxy checks for /readyz.
func (a *Admin) ServeHealth(w http.ResponseWriter, r *http.Request) bool {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch path := r.URL.Path; {
	case reads && path == "/livez":
		a.live(w, r)
	case reads && path == "/readyz", r.Method == http.MethodOptions && r.RequestURI == "/" && !r.ProtoAtLeast(1, 1):
		a.ready(w, r)
	default:
		return false
	}
	return true
}

func (a *Admin) live(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }

// ready does not call the legacy. If it did, an outage of the legacy would remove every
// instance from the load balancer, and clients would get no explanation.
func (a *Admin) ready(w http.ResponseWriter, _ *http.Request) {
	if a.draining.Load() {
		say(w, http.StatusServiceUnavailable, "draining")
		return
	}
	say(w, http.StatusOK, "ok")
}
