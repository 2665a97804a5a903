package admin

import (
	"io/fs"
	"maps"
	"net/http"
	_ "net/http/pprof" // #nosec G108 -- nothing else serves the default mux, see profile

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/docs"
)

// New makes the admin interface: /livez, /readyz, /purge, /staging, /metrics
// and the status page.
//
// /metrics and the probes require no token: a scraper needs no other path, and a scraper with the token
// could purge. Metrics contain no data that a client sent. Against DNS rebinding these
// paths are served under [Options.Hosts] alone.
func New(o Options) *Admin {
	a := &Admin{
		Options:   o,
		ServeMux:  http.NewServeMux(),
		decisions: alone{},
		spaces:    mapping.NewTagSpaces(len(o.Site), o.Site.Together),
	}
	if o.Migration != nil {
		a.decisions = o.Migration
	}
	token := o.Token != ""
	a.endpoint("POST /purge", "purge", token || o.PurgeToken != "", a.servePurge)
	a.endpoint("GET /purge/targets", "purge", token, a.targets)
	a.endpoint("POST /purge/replay", "purge", token, a.replay)
	if token {
		a.HandleFunc("/debug/pprof/", a.profile)
	}
	a.HandleFunc("GET /livez", a.underOwnName(a.live))
	a.HandleFunc("GET /readyz", a.underOwnName(a.ready))
	a.HandleFunc("GET /metrics", a.underOwnName(o.Metrics.ServeHTTP))
	a.handlePage()
	return a
}

// statusPath is the path of the page. Paths on the page are relative, so that a proxy may publish the page anywhere.
const statusPath = "/status/"

// handlePage adds the paths of the status page, and those of a migration.
func (a *Admin) handlePage() {
	handle := func(method, path string, h http.HandlerFunc) {
		a.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
			maps.Copy(w.Header(), statusHeader)
			if r.Method != http.MethodPost || readForm(w, r) {
				h(w, r)
			}
		})
	}
	toStatus := func(w http.ResponseWriter, _ *http.Request) { seeOther(w, "status/") }
	handle("GET", "/{$}", toStatus)
	handle("GET", "/status", toStatus)
	handle("GET", statusPath+"{$}", a.admit(a.showStatus))
	handle("GET", statusPath+"confirm", a.admit(a.showConfirm))
	handle("GET", statusPath+"sign-in", a.showSignIn)
	handle("POST", statusPath+"sign-in", a.signIn)
	handle("POST", statusPath+"sign-out", a.admit(a.signOut))
	handle("POST", statusPath+"do", a.admit(a.act))
	files, _ := fs.Sub(statusFiles, "files") // never fails
	handle("GET", statusPath+"{file}", http.StripPrefix(statusPath, http.FileServerFS(files)).ServeHTTP)
	if a.Migration != nil {
		a.handleMigration(handle)
	}
	handle("GET", statusPath+"palette.css", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, "text/css", []byte(docs.Palette))
	})
}

// handleMigration adds the paths of a migration.
func (a *Admin) handleMigration(handle func(method, path string, h http.HandlerFunc)) {
	m := a.Migration
	serve := func(_ http.ResponseWriter, r *http.Request) (status int, body any, refused *Refusal) {
		m.Refresh(r.Context()) // also an instance without requests shows the latest numbers
		return http.StatusOK, m.Report(r.Context()), nil
	}
	change := func(w http.ResponseWriter, r *http.Request) (status int, body any, refused *Refusal) {
		if refused := m.Change(w, r); refused != nil {
			return 0, nil, refused
		}
		return serve(w, r)
	}
	a.endpoint("GET /staging", "stage", a.Token != "", serve)
	a.endpoint("POST /staging", "stage", a.Token != "", change)
	handle("GET", statusPath+"staging", a.admit(func(w http.ResponseWriter, r *http.Request) {
		v := a.view(r, "staging")
		v.Staging = m.Tab(r.Context())
		show(w, http.StatusOK, "staging.html", v)
	}))
}

// Drain makes /readyz fail, so that load balancers send no new clients.
func (a *Admin) Drain() { a.draining.Store(true) }

// ServeHealth answers a check of a load balancer on the public listener, under any Host, and reports
// whether r is one: a probe, or OPTIONS / of HTTP/1.0, by which HAProxy checks for /readyz.
func (a *Admin) ServeHealth(w http.ResponseWriter, r *http.Request) bool {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	path := r.URL.Path
	switch {
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

// ready does not call the legacy. With such a call, an outage of the legacy would remove every
// instance from the load balancer, and clients would get no explanation.
func (a *Admin) ready(w http.ResponseWriter, _ *http.Request) {
	if a.draining.Load() {
		say(w, http.StatusServiceUnavailable, "draining")
		return
	}
	say(w, http.StatusOK, "ok")
}

// profile serves a profile to clients with the token. Profiles reveal code and memory, and cost time.
func (a *Admin) profile(w http.ResponseWriter, r *http.Request) {
	if refused := a.refuse(w, r, "pprof"); refused != nil {
		writeJSON(w, refused.Status, refused)
		return
	}
	http.DefaultServeMux.ServeHTTP(w, r)
}
