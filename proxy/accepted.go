package proxy

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/edge"
)

// accepted are the identities that a backend has shown to be allowed to write. Only their writes are announced
// to all instances: credentials that anybody can make up must not leave writes pending. accepted has hashes of
// the credentials with a key of this process, and never the credentials.
type accepted struct {
	key [32]byte

	mu     sync.Mutex
	writer map[identityHash]*writer
}

type identityHash [sha256.Size]byte

// writer is an accepted identity.
type writer struct {
	until time.Time // the proof counts

	mu      sync.Mutex
	pending *cache.Announcement // the last write with an unknown outcome; nil without such a write
}

const (
	acceptedFor = 10 * time.Minute
	maxAccepted = 1000 // identities; beyond the limit, the identity with the oldest proof is forgotten
)

func newAccepted() *accepted {
	a := &accepted{writer: map[identityHash]*writer{}}
	_, _ = rand.Read(a.key[:]) // never fails
	return a
}

func (a *accepted) hash(id edge.Identity) (hash identityHash) {
	mac := hmac.New(sha256.New, a.key[:])
	mac.Write([]byte(strings.Join([]string{id.Authorization, id.Cookie, id.Nonce}, "\x00")))
	mac.Sum(hash[:0])
	return hash
}

// find returns the writer with an identity; nil if the identity is not accepted.
func (a *accepted) find(id edge.Identity, now time.Time) *writer {
	if id.Anonymous() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.writer[a.hash(id)]
	if w != nil && now.Before(w.until) {
		return w
	}
	return nil
}

// learn reads from a response whether the backend accepts the identity of the call.
func (a *accepted) learn(b *backend, c backendCall, resp neutralResponse, now time.Time) {
	if c.identity.Anonymous() {
		return
	}
	proof := mayWrite(b, c, resp)
	refusal := resp.reply.Status == http.StatusUnauthorized
	if !proof && !refusal {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	hash := a.hash(c.identity)
	if refusal {
		delete(a.writer, hash)
		return
	}
	if a.writer[hash] == nil {
		a.makeRoom(now)
		a.writer[hash] = new(writer)
	}
	a.writer[hash].until = now.Add(acceptedFor)
}

// makeRoom forgets the identities with expired proofs, and the identity with the oldest proof if too many remain.
func (a *accepted) makeRoom(now time.Time) {
	var oldest identityHash
	until := now.Add(2 * acceptedFor)
	if len(a.writer) < maxAccepted {
		return
	}
	for hash, w := range a.writer {
		if !now.Before(w.until) {
			delete(a.writer, hash)
		} else if w.until.Before(until) {
			oldest = hash
			until = w.until
		}
	}
	if len(a.writer) >= maxAccepted {
		delete(a.writer, oldest)
	}
}

// mayWrite reports whether a response proves that the identity of its call may write: the backend has made a
// write with the identity, or Allow has a method that writes, which WordPress sends only to users with the
// right (recordings events/en/list-as-subscriber, categories/en/list-as-admin). Other servers, such as another
// calfacade, send the same Allow to all. A 200 to a read proves nothing: a site ignores an unknown Bearer, and
// answers as to an anonymous client.
func mayWrite(b *backend, c backendCall, resp neutralResponse) bool {
	switch {
	case resp.reply.Status >= http.StatusMultipleChoices:
		return false
	case c.call.Endpoint.Writes():
		return true
	case !b.dialect.Dialect.WordPress:
		return false
	}
	allow := resp.reply.Header.Get("Allow")
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if strings.Contains(allow, method) {
			return true
		}
	}
	return false
}
