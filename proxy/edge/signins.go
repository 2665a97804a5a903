package edge

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// signIns bounds the failed sign-ins of each client. Each attempt is a call to the site, and
// may be a guess.
type signIns struct {
	metrics *telemetry.Metrics

	mu       sync.Mutex
	failures *failures
}

// failingClients is the number of clients with failed sign-ins that are remembered.
const failingClients = 10_000

// SignIn is what a request signs in with. The zero value is a request that does not.
type SignIn struct {
	Login    bool // Authorization
	Session  bool // a login cookie
	Nonce    bool
	Password bool // of an item
}

// AdmitSignIn refuses a request that signs in if its client has failed too often.
func (e *Edge) AdmitSignIn(r *http.Request, with SignIn, now time.Time) error {
	if e.signIns == nil || with == (SignIn{}) {
		return nil
	}
	e.signIns.mu.Lock()
	wait := e.signIns.failures.wait(e.Client(r), now)
	e.signIns.mu.Unlock()
	if wait == 0 {
		return nil
	}
	e.signIns.metrics.SignIn("refused")
	return &problem.Error{Status: http.StatusTooManyRequests, Code: "calendar_rate_limited", Header: problem.RetryAfter(wait)}
}

// CountSignIn counts a request whose status, of the site, reports that its client failed to
// sign in.
func (e *Edge) CountSignIn(client netip.Addr, with SignIn, status int, now time.Time) {
	if e.signIns == nil || !with.failed(status) {
		return
	}
	e.signIns.metrics.SignIn("failed")
	e.signIns.mu.Lock()
	defer e.signIns.mu.Unlock()
	e.signIns.failures.failed(client, now)
}

// failed interprets a status of the site. It is 401 for an unknown user or wrong password. It
// is 403 for a user without the right, which is no failed sign-in, but also for a wrong nonce
// and for a wrong password of an item.
func (s SignIn) failed(status int) bool {
	switch status {
	case http.StatusUnauthorized:
		return s != SignIn{}
	case http.StatusForbidden:
		return !s.Login && (s.Nonce || s.Password)
	}
	return false
}
