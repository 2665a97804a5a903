package statuspage

import (
	"crypto/rand"
	"crypto/sha256"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/admin"
)

const (
	sessionCookie = "calfacade_session"
	sessionLife   = 8 * time.Hour
	maxSessions   = 32

	maxForm = 32 << 10 // bytes
)

// forViewers admits browsers with a session. Without a token these are clients on this machine
// that use one of its names; others could be DNS rebinding.
func (p *page) forViewers(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, signedIn := p.session(r)
		switch {
		case p.options.Token != "" && !signedIn:
			seeOther(w, "sign-in")
		case p.options.Token == "" && (!loopback(r.RemoteAddr) || !loopback(r.Host) && !p.admin.Named(r.Host)):
			refuse(w, http.StatusForbidden,
				"Without an admin.token, only this machine can open the page: as localhost, by its loopback address or by one of admin.hosts.")
		default:
			h(w, r)
		}
	}
}

// forOperators admits browsers with a session, which may use the buttons of the page.
func (p *page) forOperators(h http.HandlerFunc) http.HandlerFunc {
	return p.forViewers(func(w http.ResponseWriter, r *http.Request) {
		if p.options.Token == "" {
			refuse(w, http.StatusForbidden, "Set admin.token and sign in with it to use buttons.")
			return
		}
		h(w, r)
	})
}

// loopback reports whether an address, with or without port, is of this machine.
func loopback(address string) bool {
	host := admin.Hostname(address)
	at, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && at.Unmap().IsLoopback()
}

// crossOrigin refuses forms from other origins. The cookie is SameSite=Strict besides, for browsers
// that send neither Sec-Fetch-Site nor Origin.
var crossOrigin = http.NewCrossOriginProtection()

// form limits the size of a form and refuses forms of other origins.
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
	if _, signedIn := p.session(r); signedIn || p.options.Token == "" {
		seeOther(w, "./")
		return
	}
	show(w, http.StatusOK, "sign-in.html", "")
}

func (p *page) signIn(w http.ResponseWriter, r *http.Request) {
	ok, wait := p.admin.CheckToken(r, "status", r.PostForm.Get("token"))
	switch {
	case wait > 0:
		admin.RetryAfter(w, wait)
		show(w, http.StatusTooManyRequests, "sign-in.html", "Too many attempts. Wait a minute.")
	case !ok:
		show(w, http.StatusForbidden, "sign-in.html", "That is not the admin.token.")
	default:
		p.options.Log.Info("signed in", zap.String("client", admin.Hostname(r.RemoteAddr)))
		id := rand.Text()
		p.State.begin(p.sessionOf(id))
		setSession(w, r, id, int(sessionLife.Seconds()))
		seeOther(w, "./")
	}
}

func (p *page) signOut(w http.ResponseWriter, r *http.Request) {
	s, _ := p.session(r)
	p.State.end(s)
	setSession(w, r, "", -1)
	seeOther(w, "sign-in")
}

// setSession sets no Path, so that browsers send the cookie below the status page alone.
// TLS may end at a proxy: the Origin header shows whether the browser uses it.
func setSession(w http.ResponseWriter, r *http.Request, id string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: id, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://"),
	})
}

// session is a browser that has sent the token, by the hash of the token and of a random id, which
// the browser stores in a cookie. So a session ends when the token changes.
type session [sha256.Size]byte

func (p *page) sessionOf(id string) session { return sha256.Sum256([]byte(id + " " + p.options.Token)) }

// session returns the session of a browser, and whether it has begun and not expired.
func (p *page) session(r *http.Request) (s session, ok bool) {
	c, err := r.Cookie(sessionCookie)
	if err != nil || p.options.Token == "" {
		return session{}, false
	}
	s = p.sessionOf(c.Value)
	p.State.mu.Lock()
	defer p.State.mu.Unlock()
	return s, p.State.clock().Before(p.State.sessions[s])
}

// begin starts a session. Past maxSessions it ends the oldest.
func (s *State) begin(one session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) >= maxSessions {
		delete(s.sessions, slices.MinFunc(slices.Collect(maps.Keys(s.sessions)), func(a, b session) int {
			return s.sessions[a].Compare(s.sessions[b])
		}))
	}
	s.sessions[one] = s.clock().Add(sessionLife)
}

func (s *State) end(one session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, one)
}
