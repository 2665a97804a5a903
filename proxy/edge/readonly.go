package edge

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/proxy/problem"
)

// readOnlyRetry is the Retry-After of writes in read-only mode, whose end only the operator
// knows.
const readOnlyRetry = time.Minute

// writeGate decides which writes may be sent.
type writeGate struct {
	readOnly        atomic.Bool
	needCredentials bool
}

// admit refuses a write that the facade need not send. Content-Range names a part of an item,
// which the site would take for all of it (RFC 9110, 14.4).
func (g *writeGate) admit(r *http.Request, authenticated bool) error {
	switch {
	case g.readOnly.Load():
		return &problem.Error{
			Status: http.StatusServiceUnavailable,
			Code:   "calendar_read_only",
			Header: problem.RetryAfter(readOnlyRetry),
		}
	case r.Header["Content-Range"] != nil:
		return &problem.Error{Status: http.StatusBadRequest, Code: "calendar_content_range"}
	case g.needCredentials && !authenticated:
		return &problem.Error{Status: http.StatusUnauthorized, Code: "rest_forbidden"}
	}
	return nil
}
