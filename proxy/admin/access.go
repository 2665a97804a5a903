package admin

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// underOwnName refuses requests for a Host that is a stranger's: a page may have had its
// name lead here (DNS rebinding). For that it takes a name: addresses are never refused.
func (a *Admin) underOwnName(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !a.ownName(r.Host) {
			say(w, http.StatusForbidden, foreignName.Message)
			return
		}
		h(w, r)
	}
}

var foreignName = Refusal{http.StatusForbidden, "foreign_host", "the Host of the request is neither an address, localhost nor one of admin.hosts"}

func (a *Admin) ownName(host string) bool {
	name := Hostname(host)
	_, err := netip.ParseAddr(name)
	return name == "" || err == nil || strings.EqualFold(name, "localhost") || a.Named(host)
}

// Named reports whether a Host is one of [Options.Hosts].
func (a *Admin) Named(host string) bool {
	name := strings.TrimSuffix(Hostname(host), ".")
	return slices.ContainsFunc(a.options.Hosts, func(own string) bool { return strings.EqualFold(own, name) })
}

// Hostname takes off a port and brackets.
func Hostname(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// Authorized reports whether a request has the token. With a wait that was not compared.
func (a *Admin) Authorized(r *http.Request, place string) (ok bool, wait time.Duration) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false, 0
	}
	return a.CheckToken(r, place, token)
}

// CheckToken reports whether token is the one of [Options]. With a wait that was not compared.
func (a *Admin) CheckToken(r *http.Request, place, token string) (ok bool, wait time.Duration) {
	return a.options.Secrets.Check(place, a.options.Client(r), token, a.options.Token)
}

// refuse refuses who has no token, or may not try one.
func (a *Admin) refuse(w http.ResponseWriter, r *http.Request, place string) *Refusal {
	ok, wait := a.Authorized(r, place)
	switch {
	case ok:
		return nil
	case wait > 0:
		RetryAfter(w, wait)
		return &Refusal{http.StatusTooManyRequests, "too_many_attempts", "too many wrong secrets from this address"}
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="calfacade"`)
	return &Refusal{http.StatusUnauthorized, "unauthorized", "want Authorization: Bearer and the admin.token"}
}

// RetryAfter sets the header field to a wait, rounded up to whole seconds.
func RetryAfter(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
}
