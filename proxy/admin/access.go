package admin

import (
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/problem"
)

// underOwnName refuses requests with a foreign name in Host (DNS rebinding). Addresses are
// accepted: rebinding needs a name.
func (a *Admin) underOwnName(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := Hostname(r.Host)
		if _, err := netip.ParseAddr(name); err != nil && name != "" && !strings.EqualFold(name, "localhost") && !a.named(r.Host) {
			say(w, http.StatusForbidden, "the Host of the request is neither an address, localhost nor one of admin.hosts")
			return
		}
		h(w, r)
	}
}

// named reports whether a Host is one of [Options.Hosts].
func (a *Admin) named(host string) bool {
	name := strings.TrimSuffix(Hostname(host), ".")
	return slices.ContainsFunc(a.Hosts, func(configured string) bool { return strings.EqualFold(configured, name) })
}

// Hostname returns an address without port and brackets.
func Hostname(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// loopback reports whether an address, with or without port, is of this machine.
func loopback(address string) bool {
	host := Hostname(address)
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// checkToken reports whether token is one of [Options]. While the client must wait nothing is compared, and
// the response has Retry-After.
func (a *Admin) checkToken(w http.ResponseWriter, r *http.Request, place, token string) (ok, waits bool) {
	tokens := []string{a.Token}
	if r.URL.Path == "/purge" {
		tokens = append(tokens, a.PurgeToken)
	}
	ok, wait := a.Secrets.Check(place, a.Client(r), token, tokens...)
	if wait > 0 {
		maps.Copy(w.Header(), problem.RetryAfter(wait))
	}
	return ok, wait > 0
}

// refuse refuses a request without the token, or from a client that must wait.
func (a *Admin) refuse(w http.ResponseWriter, r *http.Request, place string) *Refusal {
	var ok, waits bool
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		ok, waits = a.checkToken(w, r, place, token)
	}
	switch {
	case ok:
		return nil
	case waits:
		return &Refusal{Status: http.StatusTooManyRequests, Code: "too_many_attempts", Message: "too many wrong tokens from this address"}
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="calfacade"`)
	return &Refusal{Status: http.StatusUnauthorized, Code: "unauthorized", Message: "want Authorization: Bearer and the admin.token"}
}

// endpoint serves the results of do, as JSON, to clients with the token. The token is checked before the
// body is read, and refusals are logged. With enabled false every request is refused.
func (a *Admin) endpoint(pattern, place string, enabled bool, do func(http.ResponseWriter, *http.Request) (int, any, *Refusal)) {
	_, path, _ := strings.Cut(pattern, " /")
	feature, _, _ := strings.Cut(path, "/")
	a.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if !enabled {
			writeJSON(w, http.StatusNotFound, Refusal{Code: feature + "_off", Message: feature + " by HTTP is off: admin.token is not set"})
			return
		}
		status := 0
		body := any(nil)
		refused := a.refuse(w, r, place)
		if refused == nil {
			status, body, refused = do(w, r)
		}
		if refused != nil {
			a.Log.Warn(strings.ReplaceAll(path, "/", " ")+" refused", zap.String("client", Hostname(r.RemoteAddr)),
				zap.Int("status", refused.Status), zap.String("code", refused.Code), zap.String("message", refused.Message))
			status = refused.Status
			body = refused
		}
		writeJSON(w, status, body)
	})
}
