package proxy

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	sessionLife  = 8 * time.Hour
	maxSessions  = 32
	attemptsIn   = time.Minute // the time in which an address may fail to sign in
	maxFailures  = 10          // that often
	maxAddresses = 1000        // that are told apart at once
)

// session is somebody who has told the token. Nothing in it gives the token away.
type session struct {
	form  string // what every form of the session has in it
	token [sha256.Size]byte
	ends  time.Time
}

// sessions are who is signed in, by a random id that the browser keeps in a
// cookie.
type sessions struct {
	mu   sync.Mutex
	byID map[string]session
}

// begin signs somebody in with the token, and gives the id. Past maxSessions the
// oldest ends.
func (s *sessions) begin(token string, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]session{}
	}
	oldest := ""
	for id, known := range s.byID {
		if !now.Before(known.ends) {
			delete(s.byID, id)
		} else if oldest == "" || known.ends.Before(s.byID[oldest].ends) {
			oldest = id
		}
	}
	if len(s.byID) >= maxSessions {
		delete(s.byID, oldest)
	}
	id := rand.Text()
	s.byID[id] = session{form: rand.Text(), token: sha256.Sum256([]byte(token)), ends: now.Add(sessionLife)}
	return id
}

// get gives a session that has not ended. One of a token that is no longer the
// token has.
func (s *sessions) get(id, token string, now time.Time) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.byID[id]
	if !ok || !now.Before(known.ends) || known.token != sha256.Sum256([]byte(token)) {
		delete(s.byID, id)
		return session{}, false
	}
	return known, true
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}

// attempts counts who failed to sign in.
type attempts struct {
	mu     sync.Mutex
	failed map[netip.Prefix]failures
}

type failures struct {
	count int
	since time.Time
}

// begin counts an attempt as failed until it succeeds, so that many at once are
// counted too. It reports whether the address may make one.
func (a *attempts) begin(from netip.Prefix, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed == nil {
		a.failed = map[netip.Prefix]failures{}
	}
	if _, known := a.failed[from]; !known && len(a.failed) >= maxAddresses {
		a.forget(now)
		if len(a.failed) >= maxAddresses {
			from = netip.Prefix{} // all others together
		}
	}
	f := a.failed[from]
	if now.Sub(f.since) >= attemptsIn {
		f = failures{since: now}
	}
	if f.count >= maxFailures {
		return false
	}
	f.count++
	a.failed[from] = f
	return true
}

func (a *attempts) succeed(from netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.failed, from)
}

func (a *attempts) forget(now time.Time) {
	for from, f := range a.failed {
		if now.Sub(f.since) >= attemptsIn {
			delete(a.failed, from)
		}
	}
}

// network is what an attempt is counted for: an address, or of IPv6 the network
// that one client usually has for itself. What is no address counts as one.
func network(r *http.Request) netip.Prefix {
	at, bits := peer(r), 64
	if at.Is4() {
		bits = 32
	}
	p, _ := at.Prefix(bits) // fails for no address alone
	return p
}
