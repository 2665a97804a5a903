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

// underOwnName refuses requests whose Host is a foreign name (DNS rebinding). It accepts
// addresses: rebinding needs a name.
func (a *Admin) underOwnName(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !a.ownName(r.Host) {
			say(w, http.StatusForbidden, "the Host of the request is neither an address, localhost nor one of admin.hosts")
			return
		}
		h(w, r)
	}
}

func (a *Admin) ownName(host string) bool {
	name := Hostname(host)
	_, err := netip.ParseAddr(name)
	return name == "" || err == nil || strings.EqualFold(name, "localhost") || a.Named(host)
}

// Named reports whether a Host is one of [Options.Hosts].
func (a *Admin) Named(host string) bool {
	name := strings.TrimSuffix(Hostname(host), ".")
	return slices.ContainsFunc(a.Hosts, func(own string) bool { return strings.EqualFold(own, name) })
}

// Hostname returns an address without port and brackets.
func Hostname(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// CheckToken reports whether token is one of [Options]. While the client must wait nothing is compared, and
// the response has Retry-After.
func (a *Admin) CheckToken(w http.ResponseWriter, r *http.Request, place, token string) (ok, waits bool) {
	want := []string{a.Token}
	if r.URL.Path == "/purge" {
		want = append(want, a.PurgeToken)
	}
	ok, wait := a.Secrets.Check(place, a.Client(r), token, want...)
	if wait > 0 {
		maps.Copy(w.Header(), problem.RetryAfter(wait))
	}
	return ok, wait > 0
}

// refuse refuses a request without the token, or whose client must wait.
func (a *Admin) refuse(w http.ResponseWriter, r *http.Request, place string) *Refusal {
	var ok, waits bool
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		ok, waits = a.CheckToken(w, r, place, token)
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

// endpoint serves what do returns, as JSON, to clients with the token. It checks method and token
// before the body is read, and logs refusals. With on false it refuses every request.
func (a *Admin) endpoint(path, place string, on bool, do func(http.ResponseWriter, *http.Request) (int, any, *Refusal), methods ...string) {
	what, _, _ := strings.Cut(path[1:], "/")
	if !on {
		off := Refusal{Code: what + "_off", Message: what + " by HTTP is off: admin.token is not set"}
		a.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusNotFound, off) })
		return
	}
	a.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		status, body, refused := 0, any(nil), a.admit(w, r, place, methods)
		if refused == nil {
			status, body, refused = do(w, r)
		}
		if refused != nil {
			a.Log.Warn(strings.ReplaceAll(path[1:], "/", " ")+" refused", zap.String("client", Hostname(r.RemoteAddr)),
				zap.Int("status", refused.Status), zap.String("code", refused.Code), zap.String("message", refused.Message))
			status, body = refused.Status, refused
		}
		writeJSON(w, status, body)
	})
}

func (a *Admin) admit(w http.ResponseWriter, r *http.Request, place string, methods []string) *Refusal {
	if !slices.Contains(methods, r.Method) {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		return &Refusal{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "want " + strings.Join(methods, " or ")}
	}
	return a.refuse(w, r, place)
}
