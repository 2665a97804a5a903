package upstream

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// queue shares the slots of a host among clients. A free slot goes to the client with the fewest calls in
// progress; of several, to the one whose last slot or arrival is longest ago. The calls of
// one client are first come, first served, but a Known read goes first, also before other clients
// while its own has less than an eighth of the slots.
//
// The class limits the length of the queue that a call may join: a refresh never waits, a
// read joins if a quarter of the queue is free, a write if there is room. If there is no
// room, a Known read displaces a Read of the client with the most queued calls. Any call
// displaces one of that client if it has at least two more than the caller.
type queue struct {
	slots, places int           // calls in flight, and calls that wait for a slot; without places none waits
	percent       int           // of slots and of places that one client may have
	timeout       time.Duration // maximum time in the queue

	mu       sync.Mutex // guards all below, slots and clients; acquire, enter, join, release and load lock it
	free     int
	waiting  []*slot                     // the oldest first
	sequence uint64                      // numbers arrivals, grants and ends
	clients  map[netip.Addr]*queueClient // that have a slot or wait for one
}

// slot is the slot of a call, which may still wait for it.
type slot struct {
	class   Class
	owner   *queueClient   // made the call
	waiters []*queueClient // wait for it: the next slot of any of them goes to it; none if it does not wait
	holder  *queueClient   // got the slot; nil without one
	waited  chan struct{}  // closed when it no longer waits; nil if it never did
}

// queueClient is a client that has a slot or waits for one.
type queueClient struct {
	id    netip.Addr
	held  int    // slots
	waits int    // calls that it waits for
	last  uint64 // sequence number of its arrival, or of its last grant or end
}

func newQueue(slots, places, percent int, timeout time.Duration) *queue {
	return &queue{slots: slots, places: places, percent: percent, timeout: timeout, free: slots, clients: map[netip.Addr]*queueClient{}}
}

// acquire waits for a slot. It returns [ErrShed] if there is none in time, and the error of ctx if
// that is canceled first. The caller must release the slot.
func (q *queue) acquire(ctx context.Context, class Class) (*slot, error) {
	s := q.enter(ClientOf(ctx), class)
	if s.waited != nil {
		q.wait(ctx, s)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.holder != nil {
		return s, nil
	}
	if len(s.waiters) > 0 {
		q.remove(s)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, callError(false, ctx.Err())
	}
	return nil, ErrShed
}

// wait waits until a slot is granted or refused. Other clients that wait for the same response share
// the slot: the call is queued for each of them.
func (q *queue) wait(ctx context.Context, s *slot) {
	for late := time.After(q.timeout); ; {
		select {
		case <-s.waited:
		case <-late:
		case <-ctx.Done():
		case other := <-cache.Waiters(ctx):
			q.join(s, other.(netip.Addr))
			continue
		}
		return
	}
}

// load returns the number of calls in flight and in the queue.
func (q *queue) load() (inFlight, queued int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.slots - q.free, len(q.waiting)
}

// enter requests a slot for a call of a client. It is granted, waits, or is refused. If it waits,
// another call may be refused instead.
func (q *queue) enter(id netip.Addr, class Class) *slot {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.clientOf(id)
	s := &slot{class: class, owner: c}
	if q.free > 0 && q.mayHold(c) { // clients that wait although a slot is free may not
		q.grant(s, c)
		return s
	}
	var displaced *slot
	room := q.capacity(class)
	own := c.waits >= q.share(room) // it may only displace one of its own
	if own || len(q.waiting) >= room {
		if displaced = q.displaceable(c, class, own); room == 0 || displaced == nil {
			q.forget(c)
			return s
		}
	}
	s.waited = make(chan struct{})
	q.waiting = append(q.waiting, s)
	s.wait(c)
	if displaced != nil {
		q.remove(displaced)
	}
	return s
}

// join adds a client to those that wait for a call, which may be granted at once.
func (q *queue) join(s *slot, id netip.Addr) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(s.waiters) == 0 || len(s.waiters) == maxWaiters {
		return
	}
	if c := q.clientOf(id); !slices.Contains(s.waiters, c) {
		s.wait(c)
		q.fill()
	}
}

// maxWaiters is how many clients may wait for a call: more would hardly speed it up.
const maxWaiters = 8

func (s *slot) wait(c *queueClient) {
	s.waiters = append(s.waiters, c)
	c.waits++
}

// release ends a call that has a slot.
func (q *queue) release(s *slot) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := s.holder
	if c == nil {
		panic("BUG: a call without a slot releases it")
	}
	s.holder = nil
	q.free++
	q.sequence++
	c.held, c.last = c.held-1, q.sequence // clients with as many slots go first
	q.forget(c)
	q.fill()
}

// capacity returns how many calls may wait if one of a class joins them.
func (q *queue) capacity(class Class) int {
	reads := q.places - q.places/4
	return [...]int{Refresh: 0, Read: reads, Known: reads, Write: q.places}[class]
}

// share returns how many of n one client may have: at least one.
func (q *queue) share(n int) int { return min(n, max(1, (n*q.percent+99)/100)) }

// mayHold reports whether a client may have one slot more.
func (q *queue) mayHold(c *queueClient) bool { return c.held < q.share(q.slots) }

// displaceable returns the call that a call of c displaces; nil for none. own allows only calls of c,
// and these only for a Known read. Calls that several clients wait for are not displaced.
func (q *queue) displaceable(c *queueClient, class Class, own bool) *slot {
	var unknown, other *slot
	for _, s := range slices.Backward(q.waiting) { // the newest first
		switch {
		case len(s.waiters) > 1, own && s.owner != c:
		case class == Known && s.class == Read:
			unknown = lessValuable(unknown, s)
		case s.owner.waits >= c.waits+2:
			other = lessValuable(other, s)
		}
	}
	return cmp.Or(unknown, other)
}

// lessValuable returns the one of two calls whose client waits for more, or the one of a lower class of
// the same client. A nil a is none.
func lessValuable(a, b *slot) *slot {
	if a == nil || b.owner.waits > a.owner.waits || b.owner == a.owner && b.class < a.class {
		return b
	}
	return a
}

// fill grants free slots to calls that wait.
func (q *queue) fill() {
	for q.free > 0 {
		s, c := q.next()
		if s == nil {
			return
		}
		q.grant(s, c)
		q.remove(s)
	}
}

// next returns the call that gets the next slot, as a call of one of its waiters; nil if none may.
func (q *queue) next() (next *slot, by *queueClient) {
	for _, s := range q.waiting {
		for _, c := range s.waiters {
			if q.mayHold(c) && (next == nil || q.precedes(s, c, next, by)) {
				next, by = s, c
			}
		}
	}
	return next, by
}

// precedes reports whether a call of c gets a slot before an older call of d.
func (q *queue) precedes(s *slot, c *queueClient, older *slot, d *queueClient) bool {
	if first := q.first(s, c); first != q.first(older, d) {
		return first
	}
	if c == d {
		return s.class == Known && older.class != Known
	}
	return c.held < d.held || c.held == d.held && c.last < d.last
}

// first reports whether a call is a Known read of a client with few slots.
func (q *queue) first(s *slot, c *queueClient) bool {
	return s.class == Known && c.held < max(1, q.slots/8)
}

func (q *queue) grant(s *slot, c *queueClient) {
	q.free--
	q.sequence++
	c.held, c.last = c.held+1, q.sequence
	s.holder = c
}

// remove ends the wait of a call, with a slot or without.
func (q *queue) remove(s *slot) {
	q.waiting = slices.DeleteFunc(q.waiting, func(other *slot) bool { return other == s })
	for _, c := range s.waiters {
		c.waits--
		q.forget(c)
	}
	s.waiters = nil
	close(s.waited)
}

func (q *queue) clientOf(id netip.Addr) *queueClient {
	c := q.clients[id]
	if c == nil {
		q.sequence++ // goes after the clients that wait already
		c = &queueClient{id: id, last: q.sequence}
		q.clients[id] = c
	}
	return c
}

func (q *queue) forget(c *queueClient) {
	if c.held == 0 && c.waits == 0 {
		delete(q.clients, c.id)
	}
}
