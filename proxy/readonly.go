package proxy

import (
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"net/http"
	"time"
)

// readOnlyFor is what a refused write is told to wait: how long it really lasts
// only the operator knows.
const readOnlyFor = time.Minute

// SetReadOnly refuses writes from now on, or takes them again. A write that has
// begun is carried through.
func (f *Facade) SetReadOnly(on bool) { f.edge.readOnly.Store(on) }

// ReadOnly reports whether writes are refused.
func (f *Facade) ReadOnly() bool { return f.edge.readOnly.Load() }

// mayWrite refuses a write that need not reach the legacy. A nonce alone is no
// credential: it belongs to a cookie. Content-Range means a part of an item, which would
// be taken for all of it (RFC 9110, 14.4).
func (f *Facade) mayWrite(x *exchange) error {
	if f.edge.readOnly.Load() {
		return &problem.Error{
			Status: http.StatusServiceUnavailable,
			Code:   "calendar_read_only",
			Header: problem.RetryAfter(readOnlyFor),
		}
	}
	if x.in.Header["Content-Range"] != nil {
		return &problem.Error{Status: http.StatusBadRequest, Code: "calendar_content_range"}
	}
	if !f.edge.credentials {
		return nil
	}
	if who := identity.Of(x.in, f.options.Cookies); who.Authorization == "" && who.Cookie == "" {
		return &problem.Error{Status: http.StatusUnauthorized, Code: "rest_forbidden"}
	}
	return nil
}
