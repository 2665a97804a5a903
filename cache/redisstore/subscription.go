package redisstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// waker is this process' ear for released leases, and for purges that others have
// applied: one connection, made when the first one waits and again when it breaks while
// someone does.
type waker struct {
	dialing sync.Mutex // held while a line is made, so that one is

	mu   sync.Mutex
	line *line // nil: none
}

// line is one subscribed connection with those who wait for a message on it.
type line struct {
	gone chan struct{} // closed when it breaks: messages may have been missed
	stop func()
}

// listen gives a line that is subscribed.
func (w *waker) listen(ctx context.Context, r *Store) (*line, error) {
	w.dialing.Lock()
	defer w.dialing.Unlock()
	w.mu.Lock()
	l := w.line
	w.mu.Unlock()
	if l != nil && !l.broken() {
		return l, nil
	}
	l, err := r.subscribe(ctx)
	if err != nil {
		return nil, fmt.Errorf("cache: subscribe: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = l
	// Close or the breaker may have passed while the line was made.
	if r.ctx.Err() != nil || r.breaker.isOpen() {
		l.stop()
	}
	return l, nil
}

// drop breaks the line, if there is one. It does not block.
func (w *waker) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.line != nil {
		w.line.stop()
	}
}

// subscribe makes a line. It has a client of its own: its one connection is for
// messages only.
func (r *Store) subscribe(ctx context.Context) (*line, error) {
	l := &line{gone: make(chan struct{})}
	err := r.try(ctx, patience, func(ctx context.Context, _ redis.UniversalClient) error {
		c := r.dial()
		s := c.Subscribe(ctx, r.ackChannel(r.id))
		_, err := s.Receive(ctx) // the confirmation: from here on nothing is missed
		closeBoth := func() { _, _ = s.Close(), c.Close() }
		if err != nil {
			closeBoth()
			return err
		}
		run, stop := context.WithCancel(r.ctx)
		l.stop = stop
		go func() {
			defer closeBoth()
			defer close(l.gone)
			defer stop()
			l.hear(run, s, r.acks.tell)
		}()
		return nil
	})
	return l, err
}

// hear passes messages on until the line breaks. A line that is silent is
// pinged: a connection may be dead without an end.
func (l *line) hear(ctx context.Context, s *redis.PubSub, tell func(string)) {
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // ends a read that is under way
	defer stop()
	for pinged := false; ctx.Err() == nil; {
		m, err := s.ReceiveTimeout(ctx, time.Second)
		switch {
		case err == nil:
			pinged = false
			if m, ok := m.(*redis.Message); ok {
				tell(m.Payload)
			}
		case timedOut(err) && !pinged:
			if s.Ping(ctx) != nil {
				return
			}
			pinged = true
		default:
			return
		}
	}
}

func (l *line) broken() bool {
	select {
	case <-l.gone:
		return true
	default:
		return false
	}
}
