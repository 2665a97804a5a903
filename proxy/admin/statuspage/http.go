package statuspage

import (
	"bytes"
	"crypto/subtle"
	"embed"
	"html/template"
	"net/http"
	"net/netip"
	"path"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Paths on the page are relative, so that it may be published below any other.
const (
	statusPath    = "/status/"
	sessionCookie = "calfacade_session"

	maxForm = 32 << 10 // bytes
)

//go:embed files
var statusFiles embed.FS

var statusTemplates = template.Must(template.ParseFS(statusFiles, "files/*.html"))

// statusHeader lets the page load its own files, and nothing else.
var statusHeader = http.Header{
	"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Referrer-Policy":              {"same-origin"}, // with no-referrer a form would have no Origin
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"X-Robots-Tag":                 {"noindex"},
	"Cache-Control":                {"no-store"},
}

// crossOrigin refuses forms that another page sent.
var crossOrigin = http.NewCrossOriginProtection()

// Options say what the page shows and does beside what the admin interface knows.
type Options struct {
	State  *State // outlives the page
	Switch Switch // nil: writes cannot be switched
	Config string // the configuration in force, without secrets
}

// page is the status page of an admin interface.
type page struct {
	admin   *admin.Admin
	options admin.Options
	state   *State
	control Switch // nil: none
	config  string
}

// Mount adds the status page to an admin interface.
func Mount(a *admin.Admin, o Options) {
	p := &page{admin: a, options: a.Options(), state: o.State, control: o.Switch, config: o.Config}
	p.mount()
}

func (p *page) mount() {
	toStatus := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { seeOther(w, to) }
	}
	p.admin.Handle("GET /{$}", toStatus("status/"))
	p.admin.Handle("GET /status", toStatus("status/"))
	p.admin.Handle("GET "+statusPath+"{$}", p.forViewers(p.showStatus))
	p.admin.Handle("GET "+statusPath+"staging", p.forViewers(p.showStaging))
	p.admin.Handle("GET "+statusPath+"confirm", p.forViewers(p.showConfirm))
	p.admin.Handle("GET "+statusPath+"sign-in", p.showSignIn)
	p.admin.Handle("POST "+statusPath+"sign-in", form(p.signIn))
	p.admin.Handle("POST "+statusPath+"sign-out", form(p.signOut))
	p.admin.Handle("POST "+statusPath+"do", form(p.forViewers(p.act)))
	p.admin.Handle("GET "+statusPath+"{file}", statusFile)
}

// viewer is who may see the page.
type viewer struct {
	Form string // of the session; "" for one who has none, and may change nothing
}

// forViewers lets those pass who may see the page. Without a token these are
// people on this machine, who asked for it by one of its own names: a page from
// elsewhere may have had its name lead here.
func (p *page) forViewers(h func(http.ResponseWriter, *http.Request, viewer)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.options.Token == "" {
			if !loopback(r.RemoteAddr) || !loopback(r.Host) && !p.admin.Named(r.Host) {
				showMessage(w, http.StatusForbidden, "Not from here", "Without an admin.token this page is for the machine itself alone, as localhost, by its loopback address or one of admin.hosts.")
				return
			}
			h(w, r, viewer{})
			return
		}
		if s, ok := p.session(r); ok {
			h(w, r, viewer{Form: s.form})
			return
		}
		ok, wait := p.admin.Authorized(r, telemetry.StatusPlace)
		switch {
		case ok:
			h(w, r, viewer{})
		case wait > 0:
			admin.RetryAfter(w, wait)
			showMessage(w, http.StatusTooManyRequests, "Refused", "Too many wrong tokens from this address. Wait a minute.")
		default:
			seeOther(w, "sign-in")
		}
	}
}

func (p *page) session(r *http.Request) (session, bool) {
	c, err := r.Cookie(sessionCookie)
	if err != nil || p.options.Token == "" {
		return session{}, false
	}
	return p.state.sessions.get(c.Value, p.options.Token, p.state.clock())
}

// loopback reports whether an address, with or without port, is of this machine.
func loopback(address string) bool {
	host := admin.Hostname(address)
	at, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && at.Unmap().IsLoopback()
}

// form bounds what is sent, and refuses it from other pages.
func form(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := crossOrigin.Check(r); err != nil {
			showMessage(w, http.StatusForbidden, "Refused", "The form was sent by a page of another origin.")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			showMessage(w, http.StatusBadRequest, "Refused", "The form cannot be read, or is larger than 32 KiB.")
			return
		}
		h(w, r)
	}
}

func (p *page) showSignIn(w http.ResponseWriter, r *http.Request) {
	if _, ok := p.session(r); ok || p.options.Token == "" {
		seeOther(w, "./")
		return
	}
	show(w, http.StatusOK, "sign-in.html", "")
}

func (p *page) signIn(w http.ResponseWriter, r *http.Request) {
	log := p.options.Log.With(zap.String("client", admin.Hostname(r.RemoteAddr)))
	ok, wait := p.admin.CheckToken(r, telemetry.StatusPlace, r.PostForm.Get("token"))
	switch {
	case wait > 0:
		admin.RetryAfter(w, wait)
		show(w, http.StatusTooManyRequests, "sign-in.html", "Too many attempts. Wait a minute.")
		return
	case !ok:
		show(w, http.StatusForbidden, "sign-in.html", "That is not the admin.token.")
		return
	}
	log.Info("signed in")
	setSession(w, r, p.state.sessions.begin(p.options.Token, p.state.clock()), int(sessionLife.Seconds()))
	seeOther(w, "./")
}

// setSession has no Path: a browser then sends the cookie below the status page
// alone. The browser's own word counts for TLS, which may end at a proxy.
func setSession(w http.ResponseWriter, r *http.Request, id string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: id, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://"),
	})
}

func (p *page) signOut(w http.ResponseWriter, r *http.Request) {
	s, ok := p.session(r)
	if !ok || !equal(r.PostForm.Get("form"), s.form) {
		seeOther(w, "./")
		return
	}
	c, _ := r.Cookie(sessionCookie) // the session has one
	p.state.sessions.end(c.Value)
	setSession(w, r, "", -1)
	seeOther(w, "sign-in")
}

// equal compares two random texts in a time that tells not where they differ.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// seeOther leads to a path relative to the request's, which [http.Redirect] would
// make absolute.
func seeOther(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// message is a page that says one thing.
type message struct{ Title, Text string }

func showMessage(w http.ResponseWriter, status int, title, text string) {
	show(w, status, "message.html", message{title, text})
}

func show(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := statusTemplates.ExecuteTemplate(&b, name, data); err != nil {
		panic("BUG: the template " + name + ": " + err.Error())
	}
	send(w, status, "text/html; charset=utf-8", b.Bytes())
}

func statusFile(w http.ResponseWriter, r *http.Request) {
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	name := r.PathValue("file")
	data, err := statusFiles.ReadFile("files/" + name)
	kind, known := kinds[path.Ext(name)]
	if err != nil || !known {
		http.NotFound(w, r)
		return
	}
	send(w, http.StatusOK, kind, data)
}

func send(w http.ResponseWriter, status int, kind string, body []byte) {
	out := w.Header()
	for name, values := range statusHeader {
		out[name] = values
	}
	out.Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(body) // who hung up wants no answer
}
