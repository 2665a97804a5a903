package admin

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"go.uber.org/zap"
)

const (
	sessionCookie  = "calfacade_session"
	sessionSeconds = 8 * 60 * 60

	maxForm = 32 << 10 // bytes
)

// admit serves browsers with a session. Without a token these are clients on this machine that use one of
// the machine's names; others could be DNS rebinding.
func (a *Admin) admit(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.Token != "" && !a.signedIn(r):
			seeOther(w, "sign-in")
		case a.Token == "" && (!loopback(r.RemoteAddr) || !loopback(r.Host) && !a.named(r.Host)):
			showRefusal(w, http.StatusForbidden,
				"Without an admin.token, only this machine can open the page: as localhost, by its loopback address or by one of "+
					"admin.hosts.")
		default:
			h(w, r)
		}
	}
}

// readForm reads a form, or refuses a form that is too large or from another origin. The cookie is
// SameSite=Strict besides, for browsers that send neither Sec-Fetch-Site nor Origin.
func readForm(w http.ResponseWriter, r *http.Request) (ok bool) {
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		showRefusal(w, http.StatusForbidden, "Another origin sent the form.")
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	if err != nil {
		showRefusal(w, http.StatusBadRequest, "The form cannot be read, or is larger than 32 KiB.")
	}
	return err == nil
}

func (a *Admin) showSignIn(w http.ResponseWriter, r *http.Request) {
	if a.signedIn(r) || a.Token == "" {
		seeOther(w, "./")
		return
	}
	show(w, http.StatusOK, "sign-in.html", "")
}

func (a *Admin) signIn(w http.ResponseWriter, r *http.Request) {
	ok, waits := a.checkToken(w, r, "status", r.PostForm.Get("token"))
	switch {
	case waits:
		show(w, http.StatusTooManyRequests, "sign-in.html", "Too many attempts. Wait a minute.")
	case !ok:
		show(w, http.StatusForbidden, "sign-in.html", "That is not the admin.token.")
	default:
		a.Log.Info("signed in", zap.String("client", Hostname(r.RemoteAddr)))
		setSession(w, r, a.session(a.Page.Clock().Unix()+sessionSeconds), sessionSeconds)
		seeOther(w, "./")
	}
}

func (a *Admin) signOut(w http.ResponseWriter, r *http.Request) {
	a.Page.newKey()
	setSession(w, r, "", -1)
	seeOther(w, "sign-in")
}

// setSession sets no Path, so that browsers send the cookie below the status page alone.
// TLS may end at a proxy: the Origin header shows whether the browser uses TLS.
func setSession(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: value, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://"),
	})
}

// session returns the cookie of a browser that has sent the token: the end of the session, in seconds since
// 1970, and a signature. The key of the signatures is the program's, so that nobody can try tokens with a
// cookie; the key changes when somebody signs out, and with the token.
func (a *Admin) session(end int64) string {
	mac := hmac.New(sha256.New, []byte(*a.Page.key.Load()+a.Token))
	_, _ = fmt.Fprint(mac, end) // a hash does not fail
	return fmt.Sprintf("%d.%x", end, mac.Sum(nil))
}

func (a *Admin) signedIn(r *http.Request) bool {
	c, err := r.Cookie(sessionCookie)
	if err != nil || a.Token == "" {
		return false
	}
	text, _, _ := strings.Cut(c.Value, ".")
	end, _ := strconv.ParseInt(text, 10, 64) // 0 has ended
	return a.Page.Clock().Unix() < end && hmac.Equal([]byte(c.Value), []byte(a.session(end)))
}
