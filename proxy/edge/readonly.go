package edge

import (
	"net/http"
	"time"

	"github.com/calfacade/calfacade/proxy/problem"
)

// readOnlyRetry is the Retry-After of writes in read-only mode, whose end only the operator
// knows.
const readOnlyRetry = time.Minute

// SetReadOnly switches read-only mode, in which writes are refused. A write in progress is
// completed.
func (e *Edge) SetReadOnly(on bool) { e.readOnly.Store(on) }

// ReadOnly reports whether writes are refused.
func (e *Edge) ReadOnly() bool { return e.readOnly.Load() }

// AdmitWrite refuses a write that the facade need not send. authenticated is that it has
// credentials other than a nonce, which is none without a cookie. Content-Range names a part of an
// item, which the site would take for all of it (RFC 9110, 14.4).
func (e *Edge) AdmitWrite(r *http.Request, authenticated bool) error {
	switch {
	case e.ReadOnly():
		return &problem.Error{
			Status: http.StatusServiceUnavailable,
			Code:   "calendar_read_only",
			Header: problem.RetryAfter(readOnlyRetry),
		}
	case r.Header["Content-Range"] != nil:
		return &problem.Error{Status: http.StatusBadRequest, Code: "calendar_content_range"}
	case e.needCredentials && !authenticated:
		return &problem.Error{Status: http.StatusUnauthorized, Code: "rest_forbidden"}
	}
	return nil
}
