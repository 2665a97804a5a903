package proxy

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/fair"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// signIns bounds how often a client's credentials may be refused by the site. Each
// attempt is a call to the site, and may be a guess.
type signIns struct {
	metrics *telemetry.Metrics

	mu     sync.Mutex
	failed *fair.Failures[netip.Addr]
}

// failingClients is how many clients are remembered that failed at something.
const failingClients = 10_000

// newSignIns is nil for the zero quota.
func newSignIns(q Quota, m *telemetry.Metrics) *signIns {
	if !q.limits() {
		return nil
	}
	return &signIns{metrics: m, failed: fair.NewFailures[netip.Addr](q.Requests, q.Window, failingClients)}
}

// try gives the error for a client that has failed too often to try once more.
func (s *signIns) try(x *exchange, who identity.Identity, now time.Time) error {
	if s == nil || who.Anonymous() && !x.call.Secret() {
		return nil
	}
	s.mu.Lock()
	wait := s.failed.Wait(x.client(), now)
	s.mu.Unlock()
	if wait == 0 {
		return nil
	}
	s.metrics.SignIn("refused")
	return &problem.Error{Status: http.StatusTooManyRequests, Code: "calendar_rate_limited", Header: problem.RetryAfter(wait)}
}

// answered counts an answer that says that the credentials are wrong.
func (s *signIns) answered(asker netip.Addr, q backendCall, status int, now time.Time) {
	if s == nil || !wrongCredentials(q.identity, q.call, status) {
		return
	}
	s.metrics.SignIn("failed")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed.Failed(asker, now)
}

// wrongCredentials reads a status of the site. It says 401 of a user or password that it
// does not know, and 403 of a user that may not, which is no failure to sign in; but 403
// also of a wrong nonce and of a wrong password of an item.
func wrongCredentials(who identity.Identity, call *mapping.Call, status int) bool {
	switch status {
	case http.StatusUnauthorized:
		return !who.Anonymous() || call.Secret()
	case http.StatusForbidden:
		return who.Authorization == "" && (who.Nonce != "" || call.Secret())
	}
	return false
}
