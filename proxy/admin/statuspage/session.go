package statuspage

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

const (
	sessionCookie = "calfacade_session"
	sessionLife   = 8 * time.Hour
	maxSessions   = 32

	maxForm = 32 << 10 // bytes
)

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
				refuse(w, http.StatusForbidden,
					"Without an admin.token, only this machine can open the page: as localhost, by its loopback address or by one of admin.hosts.")
				return
			}
			h(w, r, viewer{})
			return
		}
		if _, s, ok := p.session(r); ok {
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

// loopback reports whether an address, with or without port, is of this machine.
func loopback(address string) bool {
	host := admin.Hostname(address)
	at, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && at.Unmap().IsLoopback()
}

// crossOrigin refuses forms from other origins.
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
	if _, _, ok := p.session(r); ok || p.options.Token == "" {
		seeOther(w, "./")
		return
	}
	show(w, http.StatusOK, "sign-in.html", "")
}

func (p *page) signIn(w http.ResponseWriter, r *http.Request) {
	ok, wait := p.admin.CheckToken(r, telemetry.StatusPlace, r.PostForm.Get("token"))
	switch {
	case wait > 0:
		admin.RetryAfter(w, wait)
		show(w, http.StatusTooManyRequests, "sign-in.html", "Too many attempts. Wait a minute.")
	case !ok:
		show(w, http.StatusForbidden, "sign-in.html", "That is not the admin.token.")
	default:
		p.options.Log.Info("signed in", zap.String("client", admin.Hostname(r.RemoteAddr)))
		setSession(w, r, p.State.begin(p.options.Token), int(sessionLife.Seconds()))
		seeOther(w, "./")
	}
}

func (p *page) signOut(w http.ResponseWriter, r *http.Request) {
	id, s, ok := p.session(r)
	if !ok || !equal(r.PostForm.Get("form"), s.form) {
		seeOther(w, "./")
		return
	}
	p.State.end(id)
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

// equal compares two random texts in constant time.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// session is a browser that has sent the token. It stores no token, only its hash.
type session struct {
	form  string // what every form of the session has in it
	token [sha256.Size]byte
	ends  time.Time
}

// session returns the session of a browser. It expires, and ends when the token changes.
func (p *page) session(r *http.Request) (id string, s session, ok bool) {
	c, err := r.Cookie(sessionCookie)
	if err != nil || p.options.Token == "" {
		return "", session{}, false
	}
	p.State.mu.Lock()
	defer p.State.mu.Unlock()
	s, ok = p.State.sessions[c.Value]
	return c.Value, s, ok && p.State.clock().Before(s.ends) && s.token == sha256.Sum256([]byte(p.options.Token))
}

// begin starts a session and returns its id. Past maxSessions it ends the oldest.
func (s *State) begin(token string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) >= maxSessions {
		delete(s.sessions, slices.MinFunc(slices.Collect(maps.Keys(s.sessions)), func(a, b string) int {
			return s.sessions[a].ends.Compare(s.sessions[b].ends)
		}))
	}
	id = rand.Text()
	s.sessions[id] = session{form: rand.Text(), token: sha256.Sum256([]byte(token)), ends: s.clock().Add(sessionLife)}
	return id
}

func (s *State) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, id)
}
