package statuspage

import (
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

const (
	sessionCookie = "calfacade_session"

	maxForm = 32 << 10 // bytes
)

// crossOrigin refuses forms from other origins.
var crossOrigin = http.NewCrossOriginProtection()

// viewer is a client that may see the page.
type viewer struct {
	Form string // token of the session's forms; "" without a session, which allows no changes
}

// forViewers admits clients that may see the page. Without a token these are clients on
// this machine that use one of its names; others could be DNS rebinding.
func (p *page) forViewers(h func(http.ResponseWriter, *http.Request, viewer)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.options.Token == "" {
			if !loopback(r.RemoteAddr) || !loopback(r.Host) && !p.admin.Named(r.Host) {
				refuse(w, http.StatusForbidden, "Without an admin.token, only this machine can open the page: as localhost, by its loopback address or by one of admin.hosts.")
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
			refuse(w, http.StatusTooManyRequests, "Too many wrong tokens from this address. Wait a minute.")
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
	return p.State.sessions.get(c.Value, p.options.Token, p.State.clock())
}

// loopback reports whether an address, with or without port, is of this machine.
func loopback(address string) bool {
	host := admin.Hostname(address)
	at, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && at.Unmap().IsLoopback()
}

// form limits the size of a form and refuses those of other origins.
func form(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := crossOrigin.Check(r); err != nil {
			refuse(w, http.StatusForbidden, "Another origin sent the form.")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			refuse(w, http.StatusBadRequest, "The form cannot be read, or is larger than 32 KiB.")
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
	setSession(w, r, p.State.sessions.begin(p.options.Token, p.State.clock()), int(sessionLife.Seconds()))
	seeOther(w, "./")
}

// setSession sets no Path, so that browsers send the cookie below the status page alone.
// TLS may end at a proxy: the Origin header shows whether the browser uses it.
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
	p.State.sessions.end(c.Value)
	setSession(w, r, "", -1)
	seeOther(w, "sign-in")
}

// equal compares two random texts in constant time.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
