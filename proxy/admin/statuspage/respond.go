package statuspage

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/netip"
	"path"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Paths on the page are relative, so that it may be published below any other.
const statusPath = "/status/"

// Options configure the page, beside the options of the admin interface.
type Options struct {
	State  *State // outlives the page
	Switch Switch // nil: writes cannot be switched
	Config string // the configuration in force, without secrets

	Zone func(language string) *time.Location // of the site of a language; nil, or a function that returns nil: unknown
}

// Switch refuses writes or accepts them again. The facade implements it.
type Switch interface {
	ReadOnly() bool
	SetReadOnly(on bool)
}

// page is the status page of an admin interface.
type page struct {
	Options
	admin   *admin.Admin
	options admin.Options
}

// Mount adds the status page to an admin interface.
func Mount(a *admin.Admin, o Options) {
	p := &page{o, a, a.Options()}
	toStatus := func(w http.ResponseWriter, _ *http.Request) { seeOther(w, "status/") }
	a.Handle("GET /{$}", toStatus)
	a.Handle("GET /status", toStatus)
	a.Handle("GET "+statusPath+"{$}", p.forViewers(p.showStatus))
	a.Handle("GET "+statusPath+"staging", p.forViewers(p.showStaging))
	a.Handle("GET "+statusPath+"confirm", p.forViewers(p.showConfirm))
	a.Handle("GET "+statusPath+"sign-in", p.showSignIn)
	a.Handle("POST "+statusPath+"sign-in", form(p.signIn))
	a.Handle("POST "+statusPath+"sign-out", form(p.signOut))
	a.Handle("POST "+statusPath+"do", form(p.forViewers(p.act)))
	a.Handle("GET "+statusPath+"{file}", statusFile)
}

//go:embed files
var statusFiles embed.FS

var statusTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"count": count, "portion": portion, "tags": tagsText, "target": targetHealth, "findingID": findingID,
	"describe": staging.Describe, "bytes": func(n any) string {
		return humanize.IBytes(reflect.ValueOf(n).Convert(reflect.TypeFor[uint64]()).Uint())
	},
}).ParseFS(statusFiles, "files/*.html"))

// count writes a number with separators.
func count(n any) string {
	return humanize.Comma(reflect.ValueOf(n).Convert(reflect.TypeFor[int64]()).Int())
}

// portion writes a part of a count.
func portion(part, all uint64) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3g %% (%s of %s)", 100*float64(part)/float64(all), count(part), count(all))
}

// tagsText lists the first of n tags.
func tagsText(tags []string, n int, all bool) string {
	if all {
		return "everything"
	}
	shown := tags[:min(len(tags), shownTags)]
	text := strings.Join(shown, ", ")
	if more := n - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shortened returns the beginning of a text of more than limit bytes.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

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

// seeOther redirects to a path relative to the request's, which [http.Redirect] would make
// absolute.
func seeOther(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// refuse sends a page with a reason.
func refuse(w http.ResponseWriter, status int, reason string) {
	show(w, status, "refused.html", reason)
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
	if name == "palette.css" {
		data, err = docs.Palette(), nil
	}
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
	_, _ = w.Write(body) // the client may have disconnected
}

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

const (
	sessionLife = 8 * time.Hour
	maxSessions = 32
)

// session is a browser that has sent the token. It stores no token, only its hash.
type session struct {
	form  string // what every form of the session has in it
	token [sha256.Size]byte
	ends  time.Time
}

// sessions are the sessions by their random id, which the browser stores in a cookie.
type sessions struct {
	mu   sync.Mutex
	byID map[string]session
}

// begin starts a session and returns its id. Past maxSessions it ends the oldest.
func (s *sessions) begin(token string, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]session{}
	}
	oldest := ""
	for id, known := range s.byID {
		if !now.Before(known.ends) {
			delete(s.byID, id)
		} else if oldest == "" || known.ends.Before(s.byID[oldest].ends) {
			oldest = id
		}
	}
	if len(s.byID) >= maxSessions {
		delete(s.byID, oldest)
	}
	id := rand.Text()
	s.byID[id] = session{form: rand.Text(), token: sha256.Sum256([]byte(token)), ends: now.Add(sessionLife)}
	return id
}

// get returns a session. A session expires, and ends when the token changes.
func (s *sessions) get(id, token string, now time.Time) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.byID[id]
	if !ok || !now.Before(known.ends) || known.token != sha256.Sum256([]byte(token)) {
		delete(s.byID, id)
		return session{}, false
	}
	return known, true
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}
