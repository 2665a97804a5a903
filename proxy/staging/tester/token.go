package tester

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// MinKeyLen is how many bytes the text of a key must have at least.
const MinKeyLen = 32

// MaxTokenLen is in bytes; longer texts are no tokens.
const MaxTokenLen = 1024

// The errors of Open.
var (
	ErrMalformed = errors.New("not a token")
	ErrForged    = errors.New("not signed with this key")
	ErrExpired   = errors.New("expired")
)

// version begins each token, and what is signed: no other use of the same secret signs the
// same bytes.
const version = "calfacade-tester-1"

// Key signs tokens. It must not be printed.
type Key struct{ secret []byte }

// NewKey returns the key of a text.
func NewKey(text string) Key { return Key{[]byte(text)} }

var encoding = base64.RawURLEncoding.Strict()

// Sign returns a token: the version, the pass, and the signature of both, joined by dots. It
// consists of characters that need no quotes in a header field, a cookie, a URL or a shell.
func (k Key) Sign(p Pass) string {
	p.Expires = p.Expires.UTC().Truncate(time.Second)
	body, err := json.Marshal(p)
	if err != nil {
		panic("BUG: a pass does not encode: " + err.Error())
	}
	signed := version + "." + encoding.EncodeToString(body)
	return signed + "." + encoding.EncodeToString(k.mac(signed))
}

func (k Key) mac(signed string) []byte {
	h := hmac.New(sha256.New, k.secret)
	_, _ = h.Write([]byte(signed)) // never fails
	return h.Sum(nil)
}

// Open returns the pass of a token. It reads nothing of a pass whose signature it has not
// verified, in a time that does not depend on where the signature is wrong. It returns the pass
// with ErrExpired, too.
func (k Key) Open(token string, now time.Time) (Pass, error) {
	dot := strings.LastIndexByte(token, '.')
	if len(token) > MaxTokenLen || dot < 0 || !strings.HasPrefix(token, version+".") {
		return Pass{}, ErrMalformed
	}
	signed := token[:dot]
	mac, err := encoding.DecodeString(token[dot+1:])
	if err != nil || len(signed) <= len(version) {
		return Pass{}, ErrMalformed
	}
	if !hmac.Equal(mac, k.mac(signed)) {
		return Pass{}, ErrForged
	}
	var p Pass
	body, err := encoding.DecodeString(signed[len(version)+1:])
	if err != nil || json.Unmarshal(body, &p) != nil || CheckName(p.Name) != nil {
		return Pass{}, ErrMalformed // of another release, with the same key
	}
	if !now.Before(p.Expires) {
		return p, ErrExpired
	}
	return p, nil
}
