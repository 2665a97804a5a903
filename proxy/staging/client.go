package staging

import (
	"hash/fnv"
	"math/rand/v2"
)

// Client is the client of a call, as far as a canary depends on it.
type Client struct {
	Number      uint64 // the same each time and on every instance; see [NumberOf]
	Credentials bool   // the call has credentials
}

// NumberOf returns the number of a client that a text identifies.
func NumberOf(client string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(client)) // never fails
	return h.Sum64()
}

// bucket returns a number from 0 to 99. A canary serves the numbers below its percentage, so
// that its clients stay in it when it grows.
func bucket(number uint64) int { return int(number % 100) }

// Bucket returns the bucket of a text.
func Bucket(text string) int { return bucket(NumberOf(text)) }

// serves reports whether the candidate serves a call of a client.
func (s Setting) serves(from Client) bool {
	if s.By == Requests {
		return s.random(from) && rand.IntN(100) < s.Percent // #nosec G404 -- distributes load, and protects nothing
	}
	return bucket(from.Number) < s.Share()
}

// random reports whether chance selects the backend for a call of a client.
func (s Setting) random(from Client) bool { return s.By == Requests && !from.Credentials }
