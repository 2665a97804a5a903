package upstream

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// queue shares the slots of a host among clients. One client has at most its share of the slots, and of
// the places in which calls wait for a slot. A free slot goes to a Known read of a client with less than
// an eighth of the slots, else to the client with the fewest slots, and of several to the client with the
// fewest calls in the queue. Among the calls of one client Known reads go first, then the oldest call.
//
// A refresh never waits. A read waits if a quarter of the places is free, a Known read if an eighth is,
// and a write if any place is.
type queue struct {
	slots   int           // calls in flight
	places  int           // calls that wait; 0: no call waits
	timeout time.Duration // maximum time in the queue

	mu      sync.Mutex // guards the fields below, slots and clients; acquire, enter, leave, release and load lock it
	free    int        // slots
	waiting []*slot    // the oldest first
	clients map[netip.Addr]*queueClient
}

// clientShare is the percentage of the slots and of the places that one client may have.
const clientShare = 75

// slot is the slot of a call, which may still wait for it.
type slot struct {
	class   Class
	client  *queueClient
	held    bool
	granted chan struct{} // closed with the grant; nil if the call did not wait
}

// queueClient is a client that has a slot or waits for one.
type queueClient struct {
	id    netip.Addr
	held  int // slots
	waits int // calls in the queue
}

func newQueue(slots, places int, timeout time.Duration) *queue {
	return &queue{slots: slots, places: places, timeout: timeout, free: slots, clients: map[netip.Addr]*queueClient{}}
}

// acquire waits for a slot. It returns [ErrShed] without one in time, and the error of ctx if that is
// canceled first. The caller must release the slot.
func (q *queue) acquire(ctx context.Context, class Class) (*slot, error) {
	s := q.enter(ClientOf(ctx), class)
	if s == nil {
		return nil, ErrShed
	}
	if s.granted == nil {
		return s, nil
	}
	select {
	case <-s.granted:
	case <-time.After(q.timeout):
	case <-ctx.Done():
	}
	switch {
	case q.leave(s):
		return s, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, callError(false, ctx.Err())
	}
	return nil, ErrShed
}

// enter requests a slot for a call of a client. It returns nil if the call may not even wait.
func (q *queue) enter(id netip.Addr, class Class) *slot {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.clientOf(id)
	s := &slot{class: class, client: c}
	if q.free > 0 && q.mayHold(c) { // clients that wait although a slot is free may not
		q.grant(s)
		return s
	}
	room := q.room(class)
	if len(q.waiting) >= room || c.waits >= share(room) {
		q.forget(c)
		return nil
	}
	s.granted = make(chan struct{})
	q.waiting = append(q.waiting, s)
	c.waits++
	return s
}

// leave ends the wait of a call, and reports whether the call has a slot.
func (q *queue) leave(s *slot) (granted bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !s.held {
		q.remove(s)
		q.forget(s.client)
	}
	return s.held
}

// release ends a call that has a slot, which goes to a call that waits.
func (q *queue) release(s *slot) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !s.held {
		panic("BUG: a call without a slot releases it")
	}
	s.held = false
	s.client.held--
	q.free++
	q.forget(s.client)
	for next := q.next(); next != nil; next = q.next() {
		q.remove(next)
		q.grant(next)
		close(next.granted)
	}
}

// load returns the number of calls in flight and in the queue.
func (q *queue) load() (inFlight, queued int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.slots - q.free, len(q.waiting)
}

// room returns how many calls may wait if one of a class joins them.
func (q *queue) room(class Class) int {
	switch class {
	case Refresh:
		return 0
	case Read:
		return q.places - q.places/4
	case Known:
		return q.places - q.places/8
	}
	return q.places
}

// share returns how many of n one client may have: at least one.
func share(n int) int { return min(n, max(1, (n*clientShare+99)/100)) }

// mayHold reports whether a client may have one slot more.
func (q *queue) mayHold(c *queueClient) bool { return c.held < share(q.slots) }

// next returns the call that gets the next slot; nil without a free slot, or if no call may have one.
func (q *queue) next() (next *slot) {
	if q.free == 0 {
		return nil
	}
	for _, s := range q.waiting {
		if q.mayHold(s.client) && (next == nil || q.precedes(s, next)) {
			next = s
		}
	}
	return next
}

// precedes reports whether a call gets a slot before an older one.
func (q *queue) precedes(s, older *slot) bool {
	if q.urgent(s) != q.urgent(older) {
		return q.urgent(s)
	}
	if s.client.held != older.client.held {
		return s.client.held < older.client.held
	}
	if s.client.waits != older.client.waits {
		return s.client.waits < older.client.waits
	}
	return s.class == Known && older.class != Known
}

// urgent reports whether a call is a Known read of a client with few slots.
func (q *queue) urgent(s *slot) bool {
	return s.class == Known && s.client.held < max(1, q.slots/8)
}

func (q *queue) grant(s *slot) {
	q.free--
	s.client.held++
	s.held = true
}

func (q *queue) remove(s *slot) {
	q.waiting = slices.DeleteFunc(q.waiting, func(queued *slot) bool { return queued == s })
	s.client.waits--
}

func (q *queue) clientOf(id netip.Addr) *queueClient {
	c := q.clients[id]
	if c == nil {
		c = &queueClient{id: id}
		q.clients[id] = c
	}
	return c
}

func (q *queue) forget(c *queueClient) {
	if c.held == 0 && c.waits == 0 {
		delete(q.clients, c.id)
	}
}
