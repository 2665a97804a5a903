package redisstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// subscriber holds the connection that receives the acknowledgements of this instance's
// purges. It is opened for the first purge that waits, and again after it broke.
type subscriber struct {
	dialing sync.Mutex // held while a subscription is opened, so that there is one

	mu      sync.Mutex
	current *subscription // nil: none
}

// subscription is one subscribed connection.
type subscription struct {
	gone chan struct{} // closed when it breaks: messages may have been missed
	stop func()
}

// open returns a subscription, which it opens if there is none.
func (w *subscriber) open(ctx context.Context, r *Store) (*subscription, error) {
	w.dialing.Lock()
	defer w.dialing.Unlock()
	w.mu.Lock()
	s := w.current
	w.mu.Unlock()
	if s != nil && !s.broken() {
		return s, nil
	}
	s, err := r.subscribe(ctx)
	if err != nil {
		return nil, fmt.Errorf("redis: subscribe: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current = s
	// The store may have been closed, or the breaker opened, meanwhile.
	if r.ctx.Err() != nil || r.breaker.isOpen() {
		s.stop()
	}
	return s, nil
}

// drop closes the subscription, if there is one. It does not block.
func (w *subscriber) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current != nil {
		w.current.stop()
	}
}

// subscribe opens a subscription. It has a client of its own, whose one connection is for
// messages only.
func (r *Store) subscribe(ctx context.Context) (*subscription, error) {
	s := &subscription{gone: make(chan struct{})}
	err := r.try(ctx, patience, func(ctx context.Context, _ redis.UniversalClient) error {
		c := r.dial()
		channel := c.Subscribe(ctx, r.ackChannel(r.id))
		_, err := channel.Receive(ctx) // the confirmation: from here on nothing is missed
		closeBoth := func() { _, _ = channel.Close(), c.Close() }
		if err != nil {
			closeBoth()
			return err
		}
		run, stop := context.WithCancel(r.ctx)
		s.stop = stop
		go func() {
			defer closeBoth()
			defer close(s.gone)
			defer stop()
			receive(run, channel, r.acks.receive)
		}()
		return nil
	})
	return s, err
}

// receive passes messages to handle until the connection breaks. It pings a connection that
// is silent, which may be dead without having been closed.
func receive(ctx context.Context, channel *redis.PubSub, handle func(string)) {
	stop := context.AfterFunc(ctx, func() { _ = channel.Close() }) // ends a read in progress
	defer stop()
	for pinged := false; ctx.Err() == nil; {
		m, err := channel.ReceiveTimeout(ctx, time.Second)
		switch {
		case err == nil:
			pinged = false
			if m, ok := m.(*redis.Message); ok {
				handle(m.Payload)
			}
		case timedOut(err) && !pinged:
			if channel.Ping(ctx) != nil {
				return
			}
			pinged = true
		default:
			return
		}
	}
}

func (s *subscription) broken() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}
