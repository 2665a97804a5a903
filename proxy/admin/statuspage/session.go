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
