// Package idempotency keeps the responses to creates, so that a client may repeat a create whose response was lost without
// making a second item: by the field Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07).
//
// [Keys.Claim] is called before a create is sent. One request of all instances gets a [Claim], and settles it with the
// response; all others get the response that was kept, or an error.
package idempotency

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// Header field names. Replayed is "true" in a response that was kept.
const (
	Field    = "Idempotency-Key"
	Replayed = "Idempotency-Replayed"
)

// maxKey is the longest key, in bytes.
const maxKey = 255

// ErrKey is the error of a key that is no string, or of several keys.
var ErrKey = errors.New("want one Idempotency-Key of 1 to 255 visible ASCII characters")

// ParseKey returns the key of a request; "" without the field. The draft asks for a string in quotation marks (RFC 9651,
// 3.3.3); clients also send the key alone.
func ParseKey(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	key := strings.Trim(values[0], " \t")
	if text, ok := strings.CutPrefix(key, `"`); ok {
		inner, closed := strings.CutSuffix(text, `"`)
		if !closed {
			return "", ErrKey
		}
		key = inner
	}
	if len(values) > 1 || key == "" || len(key) > maxKey || strings.ContainsFunc(key, notInKey) {
		return "", ErrKey
	}
	return key, nil
}

// notInKey reports whether a key must not have c. Quotation marks and backslashes would need escapes.
func notInKey(c rune) bool { return c < '!' || c > '~' || c == '"' || c == '\\' }

// Digest returns a hash of a list of texts. Keys and fingerprints are digests: a store has neither keys of clients nor
// credentials.
func Digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		sum := sha256.Sum256([]byte(text))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
