package edge

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/calfacade/calfacade/proxy/fair"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// signIns bounds the failed sign-ins of each client. Each attempt is a call to the site, and
// may be a guess.
type signIns struct {
	metrics *telemetry.Metrics

	mu     sync.Mutex
	failed *fair.Failures
}

// failingClients is the number of clients with failed sign-ins that are remembered.
const failingClients = 10_000

// newSignIns returns nil for the zero Quota.
func newSignIns(q Quota, m *telemetry.Metrics) *signIns {
	if !q.limits() {
		return nil
	}
	return &signIns{metrics: m, failed: fair.NewFailures(q.Requests, q.Window, failingClients)}
}

// SignIn is what a request signs in with. The zero value is a request that does not.
type SignIn struct {
	Login    bool // Authorization
	Session  bool // a login cookie
	Nonce    bool
	Password bool // of an item
}

// admit refuses a request that signs in if its client has failed too often.
func (s *signIns) admit(client netip.Addr, now time.Time) error {
	s.mu.Lock()
	wait := s.failed.Wait(client, now)
	s.mu.Unlock()
	if wait == 0 {
		return nil
	}
	s.metrics.SignIn("refused")
	return &problem.Error{Status: http.StatusTooManyRequests, Code: "calendar_rate_limited", Header: problem.RetryAfter(wait)}
}

// count counts a failed sign-in.
func (s *signIns) count(client netip.Addr, now time.Time) {
	s.metrics.SignIn("failed")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed.Failed(client, now)
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
