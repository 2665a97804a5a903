package statuspage

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

const (
	sessionLife = 8 * time.Hour
	maxSessions = 32
)

// session is a browser that has sent the token. It stores no token, only its hash.
type session struct {
	form  string // what every form of the session has in it
	token [sha256.Size]byte
	ends  time.Time
}

// sessions are the sessions by their random id, which the browser stores in a cookie.
type sessions struct {
	mu   sync.Mutex
	byID map[string]session
}

// begin starts a session and returns its id. Past maxSessions it ends the oldest.
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

// get returns a session. A session expires, and ends when the token changes.
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
