package edge

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// SecretsOptions configure Secrets.
type SecretsOptions struct {
	Metrics *telemetry.Metrics // nil disables metrics
	Log     *zap.Logger        // nil disables the log
	Clock   func() time.Time   // nil is time.Now
}

// Secrets checks the secrets that operators send, and bounds the failed attempts of each
// client at each place: guesses on the public listener do not lock the admin listener. One belongs to
// the process.
type Secrets struct {
	options SecretsOptions

	mu       sync.Mutex
	failed   map[string]*failures // by place
	logged   time.Time            // last record; zero: never
	unlogged int                  // failures since then
}

// A client may fail maxWrong times within wrongWithin. At most wrongClients are remembered.
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
	return &Secrets{options: o, failed: map[string]*failures{}}
}

// Check compares what a client sent at a place with the secrets that it accepts. Empty
// ones are none; place is a label of the metrics. With a wait above 0 it compares nothing: the
// client has to wait first. Concurrent attempts are checked one after the other, so that they cannot exceed the limit.
func (s *Secrets) Check(place string, client netip.Addr, sent string, want ...string) (ok bool, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Clock()
	result := "failed"
	failed := s.failed[place]
	if failed == nil {
		failed = newFailures(Quota{maxWrong, wrongWithin}, wrongClients)
		s.failed[place] = failed
	}
	if wait = failed.wait(client, now); wait > 0 {
		result = "refused"
	} else if slices.ContainsFunc(want, func(w string) bool { return w != "" && sameSecret(sent, w) }) {
		return true, 0
	} else {
		failed.failed(client, now)
	}
	s.options.Metrics.WrongSecret(place, result)
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

// failures limits how often each client may fail, for example at guessing a secret. Clients
// that come when it remembers as many as it may share one limit: addresses are cheap, and
// new ones must not make it forget others.
type failures struct {
	limit   Quota // its window begins with the first failure
	clients int   // maximum of known

	mu     sync.Mutex
	known  map[netip.Addr]*failing
	others failing
	swept  time.Time // when those whose window is over were last forgotten
}

// failing counts the failures of a client since the first one.
type failing struct {
	count int
	since time.Time
}

// newFailures remembers so many clients. It returns nil for a quota without a limit.
func newFailures(limit Quota, clients int) *failures {
	if limit.Requests == 0 {
		return nil
	}
	return &failures{limit: limit, clients: clients, known: map[netip.Addr]*failing{}}
}

// wait returns how long a client may not try again; 0 if it may.
func (f *failures) wait(client netip.Addr, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.known[client]
	if r == nil {
		if len(f.known) < f.clients {
			return 0
		}
		r = &f.others
	}
	if r.count < f.limit.Requests {
		return 0
	}
	return max(0, f.limit.Window-now.Sub(r.since))
}

// failed counts a failure.
func (f *failures) failed(client netip.Addr, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sweep(now)
	r := f.known[client]
	if r == nil {
		if r = &f.others; len(f.known) < f.clients {
			r = new(failing)
			f.known[client] = r
		}
	}
	if now.Sub(r.since) >= f.limit.Window {
		r.count, r.since = 0, now
	}
	r.count++
}

// sweep forgets the clients whose window is over, at most ten times in a window.
func (f *failures) sweep(now time.Time) {
	if now.Sub(f.swept) < f.limit.Window/10 {
		return
	}
	f.swept = now
	maps.DeleteFunc(f.known, func(_ netip.Addr, r *failing) bool { return now.Sub(r.since) >= f.limit.Window })
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
		e.signIns.failed(client, now)
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
