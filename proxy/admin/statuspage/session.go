package statuspage

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/admin"
)

const (
	sessionCookie  = "calfacade_session"
	sessionSeconds = 8 * 60 * 60

	maxForm = 32 << 10 // bytes
)

// admit serves browsers with a session. Without a token these are clients on this machine that use one of
// its names; others could be DNS rebinding. They may do nothing that acts.
func (p *page) admit(h http.HandlerFunc, acts bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.Buttons() && !p.signedIn(r):
			seeOther(w, "sign-in")
		case !p.Buttons() && (!loopback(r.RemoteAddr) || !loopback(r.Host) && !p.admin.Named(r.Host)):
			refuse(w, http.StatusForbidden,
				"Without an admin.token, only this machine can open the page: as localhost, by its loopback address or by one of "+
					"admin.hosts.")
		case !p.Buttons() && acts:
			refuse(w, http.StatusForbidden, "Set admin.token and sign in with it to use buttons.")
		default:
			h(w, r)
		}
	}
}

// Buttons reports whether the page has buttons, which require a session.
func (p *page) Buttons() bool { return p.admin.Token != "" }

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
	if p.signedIn(r) || !p.Buttons() {
		seeOther(w, "./")
		return
	}
	show(w, http.StatusOK, "sign-in.html", "")
}

func (p *page) signIn(w http.ResponseWriter, r *http.Request) {
	ok, waits := p.admin.CheckToken(w, r, "status", r.PostForm.Get("token"))
	switch {
	case waits:
		show(w, http.StatusTooManyRequests, "sign-in.html", "Too many attempts. Wait a minute.")
	case !ok:
		show(w, http.StatusForbidden, "sign-in.html", "That is not the admin.token.")
	default:
		p.admin.Log.Info("signed in", zap.String("client", admin.Hostname(r.RemoteAddr)))
		setSession(w, r, p.session(p.State.Clock().Unix()+sessionSeconds), sessionSeconds)
		seeOther(w, "./")
	}
}

func (p *page) signOut(w http.ResponseWriter, r *http.Request) {
	p.State.newKey()
	setSession(w, r, "", -1)
	seeOther(w, "sign-in")
}

// setSession sets no Path, so that browsers send the cookie below the status page alone.
// TLS may end at a proxy: the Origin header shows whether the browser uses it.
func setSession(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: value, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://"),
	})
}

// session returns the cookie of a browser that has sent the token: the end of the session, in seconds since
// 1970, and a signature. The key of the signatures is the program's, so that nobody can try tokens with a
// cookie; it changes when somebody signs out, and with the token.
func (p *page) session(end int64) string {
	mac := hmac.New(sha256.New, []byte(*p.State.key.Load()+p.admin.Token))
	_, _ = fmt.Fprint(mac, end) // a hash does not fail
	return fmt.Sprintf("%d.%x", end, mac.Sum(nil))
}

func (p *page) signedIn(r *http.Request) bool {
	c, err := r.Cookie(sessionCookie)
	if err != nil || p.admin.Token == "" {
		return false
	}
	text, _, _ := strings.Cut(c.Value, ".")
	end, _ := strconv.ParseInt(text, 10, 64) // 0 has ended
	return p.State.Clock().Unix() < end && hmac.Equal([]byte(c.Value), []byte(p.session(end)))
}

// newKey ends all sessions.
func (s *State) newKey() {
	key := rand.Text()
	s.key.Store(&key)
}
