package admin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	_ "net/http/pprof" // #nosec G108 -- nothing else serves the default mux, see profile
	"net/netip"
	"sync/atomic"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Options configure an [Admin].
type Options struct {
	Token      string // the bearer token of /purge and /staging; "" disables them
	PurgeToken string // another bearer token, of /purge alone; "" disables it
	Cache      Purger
	Site       i18n.Site // the languages, whose codes tags contain

	Secrets Secrets                        // compares Token
	Client  func(*http.Request) netip.Addr // the address that wrong tokens count for
	Hosts   []string                       // host names of the listener, beside addresses and localhost

	Staging  *staging.Matrix
	Fleet    *fleet.Fleet      // changes Staging
	Findings *compare.Findings // what comparisons found

	Onward *onward.Deliverer // passes purges on

	Page   *PageState                           // of the status page, outlives the Admin
	Switch Switch                               // the facade
	Config string                               // the configuration in force, without secrets, which the page shows
	Zone   func(language string) *time.Location // of the site of a language; it returns nil for unknown

	Metrics *telemetry.Metrics // served at /metrics
	Tracer  trace.Tracer       // records spans of purges; nil records none
	Log     *zap.Logger
}

// Secrets compares what an address sent with secrets. While wait is above 0 the address has
// been wrong too often, and nothing was compared.
type Secrets interface {
	Check(place string, client netip.Addr, text string, secrets ...string) (ok bool, wait time.Duration)
}

// Purger invalidates every response that shows one of a purge's tags, before it returns. A
// [cache.Cache] implements it.
type Purger interface {
	Purge(ctx context.Context, p cache.Purge) (shared bool)
}

// Admin serves operators and orchestrators on a listener of its own. Its options must not be changed.
type Admin struct {
	Options
	*http.ServeMux
	spaces   mapping.TagSpaces
	draining atomic.Bool
}

// Drain makes /readyz fail, so that load balancers send no new clients.
func (a *Admin) Drain() { a.draining.Store(true) }

// New makes the admin interface: /livez, /readyz, /purge, /staging, /metrics
// and the status page.
//
// /metrics and the probes require no token: a scraper needs nothing else, and with the token
// it could purge. Metrics contain nothing that a client sent. Against DNS rebinding these
// paths are served under [Options.Hosts] alone.
func New(o Options) *Admin {
	a := &Admin{Options: o, ServeMux: http.NewServeMux(), spaces: mapping.NewTagSpaces(len(o.Site), o.Site.Together)}
	token := o.Token != ""
	a.endpoint("POST /purge", "purge", token || o.PurgeToken != "", a.servePurge)
	a.endpoint("GET /purge/targets", "purge", token, a.targets)
	a.endpoint("POST /purge/replay", "purge", token, a.replay)
	a.endpoint("GET /staging", "stage", token, a.serveStaging)
	a.endpoint("POST /staging", "stage", token, a.changeStaging)
	if token {
		a.HandleFunc("/debug/pprof/", a.profile)
	}
	a.HandleFunc("GET /livez", a.underOwnName(a.live))
	a.HandleFunc("GET /readyz", a.underOwnName(a.ready))
	a.HandleFunc("GET /metrics", a.underOwnName(o.Metrics.ServeHTTP))
	a.handlePage()
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

// maxAdminBody is how many bytes a body may have.
const maxAdminBody = 64 << 10

// Refusal is an error response of the admin interface. It quotes nothing of the request.
type Refusal struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Version uint64 `json:"version,omitempty"` // of the decisions, where a change was made on an earlier one
}

func say(w http.ResponseWriter, status int, text string) {
	send(w, status, "text/plain", []byte(text))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	send(w, status, "application/json", body)
}

func send(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		maps.Copy(w.Header(), problem.RetryAfter(time.Second))
	}
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have disconnected
}

// invalid refuses a request that does not say what to do. The endpoints have codes of their own.
func invalid(code, message string) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Code: code, Message: message}
}

// readJSON reads a body into a struct that has exactly these members, or refuses it with a code. Messages
// quote nothing of it.
func readJSON(w http.ResponseWriter, r *http.Request, into any, code, members string) *Refusal {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &Refusal{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Message: "want Content-Type: application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAdminBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Refusal{Status: http.StatusRequestEntityTooLarge, Code: "content_too_large", Message: "the body is larger than 64 KiB"}
	}
	if err != nil {
		return invalid(code, "the body ended early")
	}
	if jsonv2.Unmarshal(body, into, jsonv2.RejectUnknownMembers(true)) != nil { // whose error may quote the body
		return invalid(code, "want a JSON object, without duplicate members, of "+members)
	}
	return nil
}

// profile serves a profile to clients with the token. Profiles reveal code and memory, and cost time.
func (a *Admin) profile(w http.ResponseWriter, r *http.Request) {
	if refused := a.refuse(w, r, "pprof"); refused != nil {
		writeJSON(w, refused.Status, refused)
		return
	}
	http.DefaultServeMux.ServeHTTP(w, r)
}
