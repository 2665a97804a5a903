package proxy

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/netip"
	"path"
	"strings"

	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"go.uber.org/zap"
)

// Paths on the page are relative, so that it may be published below any other.
const (
	statusPath    = "/status/"
	sessionCookie = "calfacade_session"

	maxForm = 32 << 10 // bytes
)

//go:embed status
var statusFiles embed.FS

var statusTemplates = template.Must(template.ParseFS(statusFiles, "status/*.html"))

// statusHeader lets the page load its own files, and nothing else.
var statusHeader = http.Header{
	"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Referrer-Policy":              {"same-origin"}, // with no-referrer a form would have no Origin
	"X-Content-Type-Options":       nosniff,
	"X-Frame-Options":              {"DENY"},
	"X-Robots-Tag":                 noindex,
	"Cache-Control":                {"no-store"},
}

// crossOrigin refuses forms that another page sent.
var crossOrigin = http.NewCrossOriginProtection()

func (a *Admin) statusRoutes() {
	toStatus := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { seeOther(w, to) }
	}
	a.mux.HandleFunc("GET /{$}", toStatus("status/"))
	a.mux.HandleFunc("GET /status", toStatus("status/"))
	a.mux.HandleFunc("GET "+statusPath+"{$}", a.forViewers(a.showStatus))
	a.mux.HandleFunc("GET "+statusPath+"staging", a.forViewers(a.showStaging))
	a.mux.HandleFunc("GET "+statusPath+"confirm", a.forViewers(a.showConfirm))
	a.mux.HandleFunc("GET "+statusPath+"sign-in", a.showSignIn)
	a.mux.HandleFunc("POST "+statusPath+"sign-in", form(a.signIn))
	a.mux.HandleFunc("POST "+statusPath+"sign-out", form(a.signOut))
	a.mux.HandleFunc("POST "+statusPath+"do", form(a.forViewers(a.act)))
	a.mux.HandleFunc("GET "+statusPath+"{file}", statusFile)
}

// viewer is who may see the page.
type viewer struct {
	Form string // of the session; "" for one who has none, and may change nothing
}

// forViewers lets those pass who may see the page. Without a token these are
// people on this machine, who asked for it by one of its own names: a page from
// elsewhere may have had its name lead here.
func (a *Admin) forViewers(h func(http.ResponseWriter, *http.Request, viewer)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if a.options.Token == "" {
			if !loopback(r.RemoteAddr) || !loopback(r.Host) && !a.named(r.Host) {
				showMessage(w, http.StatusForbidden, "Not from here", "Without an admin.token this page is for the machine itself alone, as localhost, by its loopback address or one of admin.hosts.")
				return
			}
			h(w, r, viewer{})
			return
		}
		if s, ok := a.session(r); ok {
			h(w, r, viewer{Form: s.form})
			return
		}
		ok, wait := a.authorized(r, telemetry.StatusPlace)
		switch {
		case ok:
			h(w, r, viewer{})
		case wait > 0:
			w.Header()["Retry-After"] = problem.RetryAfter(wait)["Retry-After"]
			showMessage(w, http.StatusTooManyRequests, "Refused", "Too many wrong tokens from this address. Wait a minute.")
		default:
			seeOther(w, "sign-in")
		}
	}
}

func (a *Admin) session(r *http.Request) (session, bool) {
	c, err := r.Cookie(sessionCookie)
	if err != nil || a.options.Token == "" {
		return session{}, false
	}
	return a.options.Status.sessions.get(c.Value, a.options.Token, a.options.Status.clock())
}

// loopback reports whether an address, with or without port, is of this machine.
func loopback(address string) bool {
	host := hostname(address)
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

func (a *Admin) showSignIn(w http.ResponseWriter, r *http.Request) {
	if _, ok := a.session(r); ok || a.options.Token == "" {
		seeOther(w, "./")
		return
	}
	show(w, http.StatusOK, "sign-in.html", "")
}

func (a *Admin) signIn(w http.ResponseWriter, r *http.Request) {
	s := a.options.Status
	log := a.options.Log.With(zap.String("client", client(r.RemoteAddr)))
	ok, wait := a.options.Secrets.check(telemetry.StatusPlace, a.trust.asker(r), r.PostForm.Get("token"), a.options.Token)
	switch {
	case wait > 0:
		w.Header()["Retry-After"] = problem.RetryAfter(wait)["Retry-After"]
		show(w, http.StatusTooManyRequests, "sign-in.html", "Too many attempts. Wait a minute.")
		return
	case !ok:
		show(w, http.StatusForbidden, "sign-in.html", "That is not the admin.token.")
		return
	}
	log.Info("signed in")
	setSession(w, r, s.sessions.begin(a.options.Token, s.clock()), int(sessionLife.Seconds()))
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

func (a *Admin) signOut(w http.ResponseWriter, r *http.Request) {
	s, ok := a.session(r)
	if !ok || !sameToken(r.PostForm.Get("form"), s.form) {
		seeOther(w, "./")
		return
	}
	c, _ := r.Cookie(sessionCookie) // the session has one
	a.options.Status.sessions.end(c.Value)
	setSession(w, r, "", -1)
	seeOther(w, "sign-in")
}

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
	data, err := statusFiles.ReadFile("status/" + name)
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
