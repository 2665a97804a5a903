package proxy

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/fair"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// SecretsOptions are what Secrets are made of.
type SecretsOptions struct {
	Metrics *telemetry.Metrics // nil counts nothing
	Log     *zap.Logger        // nil logs nothing
	Clock   func() time.Time   // nil is time.Now
}

// Secrets checks what somebody sends to show that he is an operator, wherever he does,
// and bounds how often an address may be wrong. It belongs to the process: all places
// count together.
type Secrets struct {
	options SecretsOptions

	mu     sync.Mutex
	failed *fair.Failures[netip.Addr]
	logged time.Time // when there was a record; zero: never
	unsaid int       // failures since then
}

// An address may be wrong this often in this time, and so many are told apart.
const (
	maxWrong       = 10
	wrongWithin    = time.Minute
	wrongAddresses = 1000
)

// secretLogEvery bounds the records of wrong secrets.
const secretLogEvery = 10 * time.Second

// NewSecrets makes secrets of which none was wrong.
func NewSecrets(o SecretsOptions) *Secrets {
	o.Log = cmp.Or(o.Log, zap.NewNop())
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Secrets{options: o, failed: fair.NewFailures[netip.Addr](maxWrong, wrongWithin, wrongAddresses)}
}

// Check compares what an asker sent with the secret. With a wait nothing was compared: it
// must not try again before. Attempts at once are made one after the other, so that no
// more than may be are made.
func (s *Secrets) Check(place string, from netip.Addr, given, want string) (ok bool, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Clock()
	result := "failed"
	if wait = s.failed.Wait(from, now); wait > 0 {
		result = "refused"
	} else if want != "" && sameToken(given, want) {
		return true, 0
	} else {
		s.failed.Failed(from, now)
	}
	s.options.Metrics.WrongSecret(place, result)
	s.unsaid++
	if now.Sub(s.logged) >= secretLogEvery {
		s.logged = now
		s.options.Log.Warn("wrong secret", zap.String("place", place), zap.String("result", result), zap.Stringer("client", from), zap.Int("times", s.unsaid))
		s.unsaid = 0
	}
	return false, wait
}

// sameToken compares in a time that tells neither where two tokens differ nor
// how long the right one is.
func sameToken(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
