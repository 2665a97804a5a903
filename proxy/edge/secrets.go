package edge

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Secrets checks the secrets that operators send, and bounds the failed attempts of each
// client at each place: guesses on the public listener do not lock the admin listener. One belongs to
// the process.
type Secrets struct {
	log   *zap.Logger
	clock func() time.Time

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
func NewSecrets(log *zap.Logger, clock func() time.Time) *Secrets {
	return &Secrets{log: log, clock: clock, failed: map[string]*limiter{}}
}

// Check compares a text that a client sent at a place with the accepted secrets. Empty secrets are not accepted.
// With a wait above 0 nothing was compared: the client has to wait first. Concurrent attempts are checked one
// after the other, so that they cannot exceed the limit.
func (s *Secrets) Check(place string, client netip.Addr, text string, secrets ...string) (ok bool, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	result := "failed"
	failed := s.failed[place]
	if failed == nil {
		failed = newLimiter(place, Quota{Requests: maxWrong, Window: wrongWithin}, nil, wrongClients)
		s.failed[place] = failed
	}
	wait = failed.wait(client, now)
	if wait > 0 {
		result = "refused"
	} else if slices.ContainsFunc(secrets, func(w string) bool { return w != "" && sameSecret(text, w) }) {
		return true, 0
	} else {
		failed.takeHere(client, now)
	}
	s.unlogged++
	if now.Sub(s.logged) >= secretLogEvery {
		s.logged = now
		s.log.Warn("wrong secret", zap.String("place", place), zap.String("result", result), zap.Stringer("client", client),
			zap.Int("times", s.unlogged))
		s.unlogged = 0
	}
	return false, wait
}

// sameSecret compares in a time that depends neither on where the two differ nor on the
// length of the right one.
func sameSecret(text, secret string) bool {
	a := sha256.Sum256([]byte(text))
	b := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
