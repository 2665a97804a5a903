package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
)

// sameToken compares in a time that tells neither where two tokens differ nor
// how long the right one is.
func sameToken(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
