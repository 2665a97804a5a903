package redisstore

import "sync"

// looks lets requests share looks at the log. A look that has begun before a request arrived
// may miss what was appended in between, so a request waits for the next one, which one of the
// waiting requests makes. There is at most one look at a time.
type looks struct {
	mu      sync.Mutex
	running bool
	next    *round // of the requests that wait; nil: none waits
}

// round is a look and the requests that wait for it.
type round struct {
	lead chan struct{} // has a value for the request that makes the look
	done chan struct{} // closed at its end
	err  error         // set before
}

// join returns after a look that began after the call.
func (l *looks) join(look func() error) error {
	l.mu.Lock()
	if !l.running {
		l.running = true
		l.mu.Unlock()
		defer l.pass()
		return look()
	}
	r := l.next
	if r == nil {
		r = &round{lead: make(chan struct{}, 1), done: make(chan struct{}), err: errPanicked}
		l.next = r
	}
	l.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	case <-r.lead:
	}
	l.mu.Lock()
	l.next = nil // who comes from here on waits for the next look
	l.mu.Unlock()
	defer l.pass()
	defer close(r.done)
	r.err = look()
	return r.err
}

// pass lets one of the waiting requests make the next look.
func (l *looks) pass() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running = l.next != nil; l.running {
		l.next.lead <- struct{}{}
	}
}
