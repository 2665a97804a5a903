package proxy

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
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

var foreignName = refusal{http.StatusForbidden, "foreign_host", "the Host of the request is neither an address, localhost nor one of admin.hosts"}

func (a *Admin) ownName(host string) bool {
	name := hostname(host)
	_, err := netip.ParseAddr(name)
	return name == "" || err == nil || strings.EqualFold(name, "localhost") || a.named(host)
}

// named reports whether a Host is one of [AdminOptions.Hosts].
func (a *Admin) named(host string) bool {
	name := strings.TrimSuffix(hostname(host), ".")
	return slices.ContainsFunc(a.options.Hosts, func(own string) bool { return strings.EqualFold(own, name) })
}

// hostname takes off a port and brackets.
func hostname(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// authorized reports whether a request has the token. With a wait that was not compared.
func (a *Admin) authorized(r *http.Request, place string) (ok bool, wait time.Duration) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false, 0
	}
	return a.options.Secrets.check(place, a.trust.asker(r), token, a.options.Token)
}

// refuse refuses who has no token, or may not try one.
func (a *Admin) refuse(w http.ResponseWriter, r *http.Request, place string) *refusal {
	ok, wait := a.authorized(r, place)
	switch {
	case ok:
		return nil
	case wait > 0:
		return tooManyWrong(w, wait)
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="calfacade"`)
	return &refusal{http.StatusUnauthorized, "unauthorized", "want Authorization: Bearer and the admin.token"}
}

// clock is the status page's.
func (o AdminOptions) clock() func() time.Time {
	if o.Status == nil {
		return nil
	}
	return o.Status.clock
}
