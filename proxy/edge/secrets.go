package edge

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/problem"
)

// SecretsOptions configure Secrets.
type SecretsOptions struct {
	Log   *zap.Logger      // nil disables the log
	Clock func() time.Time // nil is time.Now
}

// Secrets checks the secrets that operators send, and bounds the failed attempts of each
// client at each place: guesses on the public listener do not lock the admin listener. One belongs to
// the process.
type Secrets struct {
	options SecretsOptions

	mu       sync.Mutex
	failed   map[string]*limiter // by place
	logged   time.Time           // last record; zero: never
	unlogged int                 // failures since then
}

// A client may fail maxWrong times at once, and as often again evenly over wrongWithin. At most
// wrongClients are remembered.
const (
	maxWrong     = 10
	wrongWithin  = time.Minute
	wrongClients = 1000
)

// secretLogEvery is the minimum time between two records of wrong secrets.
const secretLogEvery = 10 * time.Second

// NewSecrets returns Secrets without failed attempts.
func NewSecrets(o SecretsOptions) *Secrets {
	o.Log = cmp.Or(o.Log, zap.NewNop())
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Secrets{options: o, failed: map[string]*limiter{}}
}

// Check compares what a client sent at a place with the secrets that it accepts. Empty
// ones are none. With a wait above 0 it compares nothing: the
// client has to wait first. Concurrent attempts are checked one after the other, so that they cannot exceed the limit.
func (s *Secrets) Check(place string, client netip.Addr, sent string, want ...string) (ok bool, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Clock()
	result := "failed"
	failed := s.failed[place]
	if failed == nil {
		failed = newLimiter(place, Quota{maxWrong, wrongWithin}, nil, wrongClients)
		s.failed[place] = failed
	}
	if wait = failed.wait(client, now); wait > 0 {
		result = "refused"
	} else if slices.ContainsFunc(want, func(w string) bool { return w != "" && sameSecret(sent, w) }) {
		return true, 0
	} else {
		failed.takeHere(client, now)
	}
	s.unlogged++
	if now.Sub(s.logged) >= secretLogEvery {
		s.logged = now
		s.options.Log.Warn("wrong secret", zap.String("place", place), zap.String("result", result), zap.Stringer("client", client),
			zap.Int("times", s.unlogged))
		s.unlogged = 0
	}
	return false, wait
}

// sameSecret compares in a time that depends neither on where the two differ nor on the
// length of the right one.
func sameSecret(sent, want string) bool {
	a, b := sha256.Sum256([]byte(sent)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// failingClients is the number of clients with failed sign-ins that are remembered. Each attempt to sign
// in is a call to the site, and may be a guess.
const failingClients = 10_000

// SignIn has what a request signs in with. The zero value is a request that does not.
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
	wait := e.signIns.wait(e.Client(r), now)
	if wait == 0 {
		return nil
	}
	e.metrics.SignIn("refused")
	return problem.RateLimited(wait)
}

// CountSignIn counts a request whose status, of the site, reports that its client failed to
// sign in.
func (e *Edge) CountSignIn(client netip.Addr, with SignIn, status int, now time.Time) {
	if e.signIns != nil && with.failed(status) {
		e.metrics.SignIn("failed")
		e.signIns.takeHere(client, now)
	}
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
