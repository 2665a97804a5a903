package redisstore

import "sync"

// looks lets requests share looks at the log. A look that has begun before a request arrived
// may miss what was appended in between, so a request waits for the next one, which the first of the
// waiting requests makes. There is at most one look at a time.
type looks struct {
	one sync.Mutex // held during a look

	mu   sync.Mutex
	next *round // that requests can join; nil: none waits
}

// round is a look and the requests that wait for it.
type round struct {
	done chan struct{} // closed at its end
	err  error         // set before
}

// join returns after a look that began after the call.
func (l *looks) join(look func() error) error {
	l.mu.Lock()
	r := l.next
	first := r == nil
	if first {
		r = &round{done: make(chan struct{}), err: errPanicked}
		l.next = r
	}
	l.mu.Unlock()
	if !first {
		<-r.done
		return r.err
	}
	l.one.Lock()
	defer l.one.Unlock()
	l.mu.Lock()
	l.next = nil // who comes from here on waits for the next look
	l.mu.Unlock()
	defer close(r.done)
	r.err = look()
	return r.err
}
