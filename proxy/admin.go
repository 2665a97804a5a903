package proxy

import (
	"net/http"
	"sync/atomic"
)

// Admin is what an operator and an orchestrator reach, on a listener of its own.
type Admin struct {
	mux      *http.ServeMux
	draining atomic.Bool
}

// NewAdmin makes the admin interface: /livez and /readyz.
func NewAdmin() *Admin {
	a := &Admin{mux: http.NewServeMux()}
	a.mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	a.mux.HandleFunc("GET /readyz", a.ready)
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
