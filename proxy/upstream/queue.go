package upstream

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// queueLimits bound the calls to one host.
type queueLimits struct {
	Slots   int           // calls in flight
	Queue   int           // calls that wait for a slot; 0: none waits
	Share   int           // percent of Slots and of Queue that one client may have
	Timeout time.Duration // in the queue
}

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
	limits queueLimits

	mu       sync.Mutex // guards all below; acquire, release and load lock it
	free     int
	waiting  int                         // calls
	sequence uint64                      // numbers arrivals, grants and ends
	clients  map[netip.Addr]*queueClient // that have a slot or wait for one
}

func newQueue(l queueLimits) *queue {
	return &queue{limits: l, free: l.Slots, clients: map[netip.Addr]*queueClient{}}
}

// acquire waits for a slot. It returns [ErrShed] if there is none in time, and the error of ctx if
// that is canceled first. The caller must release the slot.
func (q *queue) acquire(ctx context.Context, class Class) (*slot, error) {
	q.mu.Lock()
	s, _ := q.enter(ClientOf(ctx), class)
	q.mu.Unlock()
	if s.waited != nil {
		q.wait(ctx, s)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.state == slotGranted {
		return s, nil
	}
	q.abandon(s)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, callError(false, ctx.Err())
	}
	return nil, ErrShed
}

// wait waits until a slot is granted or refused. Other clients that wait for the same response share
// the slot: the call is queued for each of them.
func (q *queue) wait(ctx context.Context, s *slot) {
	stop := cache.OnJoin(ctx, func(other any) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.join(s, other.(netip.Addr))
	})
	defer stop()
	timer := time.NewTimer(q.limits.Timeout)
	defer timer.Stop()
	select {
	case <-s.waited:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// release ends a call that has a slot.
func (q *queue) release(s *slot) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leave(s)
}

// load returns the number of calls in flight and in the queue.
func (q *queue) load() (inFlight, queued int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.underWay(), q.waiting
}

// underWay returns the number of calls in progress.
func (q *queue) underWay() int { return q.limits.Slots - q.free }

func (q *queue) grant(s *slot, c *queueClient) {
	q.clients[c.id] = c // it may have been forgotten
	q.free--
	q.sequence++
	c.held++
	c.last = q.sequence
	s.state, s.holder = slotGranted, c
}

// share returns how many of n one client may have: at least one.
func (q *queue) share(n int) int { return min(n, max(1, (n*q.limits.Share+99)/100)) }

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
	if c.held == 0 && len(c.calls) == 0 {
		delete(q.clients, c.id)
	}
}

func (q *queue) append(c *queueClient, s *slot) {
	q.clients[c.id] = c // it may have been forgotten
	at := len(c.calls)
	if s.class == Known {
		for at > 0 && c.calls[at-1].class != Known {
			at--
		}
	}
	c.calls = slices.Insert(c.calls, at, s)
	s.waiters = append(s.waiters, c)
}

// remove removes a call from the queues of all its waiters.
func (q *queue) remove(s *slot, to slotState) {
	s.state = to
	close(s.waited)
	s.owner.queued--
	q.waiting--
	for _, c := range s.waiters {
		c.calls = slices.DeleteFunc(c.calls, func(other *slot) bool { return other == s })
		q.forget(c)
	}
	s.waiters = nil
}

// capacity returns how many calls may wait if one of class r joins them.
func (q *queue) capacity(r Class) int {
	switch r {
	case Refresh:
		return 0
	case Read, Known:
		return q.limits.Queue - q.limits.Queue/4
	}
	return q.limits.Queue
}

// makeRoom reports whether a call of class r of c may wait.
func (q *queue) makeRoom(c *queueClient, r Class) (displaced *slot, ok bool) {
	room := q.capacity(r)
	own := c.queued >= q.share(room) // it may only displace one of its own
	switch {
	case room == 0:
		return nil, false
	case !own && q.waiting < room:
		return nil, true
	}
	if displaced = q.displaceable(c, r, own); displaced == nil {
		return nil, false
	}
	q.remove(displaced, slotRefused)
	return displaced, true
}

// displaceable returns the call that a call of class r of c displaces; nil for none. own allows only
// calls of c, and these only for a Known read.
func (q *queue) displaceable(c *queueClient, r Class, own bool) (least *slot) {
	longest := c
	for _, other := range q.clients {
		if other.queued > longest.queued {
			longest = other
		}
		if r != Known || own && other != c || least != nil && other.queued <= least.owner.queued {
			continue
		}
		if s := other.leastValuable(); s != nil && s.class == Read {
			least = s
		}
	}
	if least != nil || own || longest.queued < c.queued+2 {
		return least
	}
	return longest.leastValuable()
}

// enter requests a slot for a call of a client. It is granted, waits, or is refused.
// displaced, if not nil, waited and is now refused.
func (q *queue) enter(id netip.Addr, r Class) (s, displaced *slot) {
	s = &slot{class: r}
	c := q.clientOf(id)
	// Clients that wait although a slot is free have their share.
	if q.free > 0 && c.held < q.share(q.limits.Slots) {
		q.grant(s, c)
		return s, nil
	}
	displaced, ok := q.makeRoom(c, r)
	if !ok {
		s.state = slotRefused
		q.forget(c)
		return s, nil
	}
	s.owner, s.waited = c, make(chan struct{})
	c.queued++
	q.waiting++
	q.append(c, s)
	return s, displaced
}

// join adds a client to those that wait for a call: the call takes the next slot of any of
// them. It may be granted at once.
func (q *queue) join(s *slot, id netip.Addr) {
	if s.state != slotWaiting || len(s.waiters) == maxWaiters {
		return
	}
	c := q.clientOf(id)
	if slices.Contains(s.waiters, c) {
		return
	}
	q.append(c, s)
	q.fill()
}

// maxWaiters is how many clients may wait for a call: more would hardly speed it up.
const maxWaiters = 8

// abandon ends a call that waits.
func (q *queue) abandon(s *slot) {
	if s.state == slotWaiting {
		q.remove(s, slotRefused)
	}
}

// leave ends a call in progress. It returns the slots that are granted instead.
func (q *queue) leave(s *slot) (granted []*slot) {
	if s.state != slotGranted {
		panic("BUG: a call without a slot leaves it")
	}
	s.state = slotRefused
	q.free++
	c := s.holder
	c.held--
	q.sequence++
	c.last = q.sequence // clients with as many slots go first
	q.forget(c)
	return q.fill()
}

// fill grants free slots to calls that wait.
func (q *queue) fill() (granted []*slot) {
	for q.free > 0 && q.waiting > 0 {
		c := q.next()
		if c == nil {
			break
		}
		s := c.calls[0]
		q.remove(s, slotGranted)
		q.grant(s, c)
		granted = append(granted, s)
	}
	return granted
}

// next returns the client that gets the next slot; nil if no client that waits may have more. It looks at
// each client: no more wait than maxWaiters for each call in the queue.
func (q *queue) next() (next *queueClient) {
	for _, c := range q.clients {
		if len(c.calls) > 0 && c.held < q.share(q.limits.Slots) && (next == nil || q.precedes(c, next)) {
			next = c
		}
	}
	return next
}

// precedes reports whether c gets a slot before d.
func (q *queue) precedes(c, d *queueClient) bool {
	if first := q.first(c); first != q.first(d) {
		return first
	}
	return c.held < d.held || c.held == d.held && c.last < d.last
}

// first reports whether a client waits with a Known read and has few slots.
func (q *queue) first(c *queueClient) bool {
	return c.calls[0].class == Known && c.held < max(1, q.limits.Slots/8)
}

// slotState is the state of a slot.
type slotState int

// The states.
const (
	slotWaiting slotState = iota
	slotGranted
	slotRefused // displaced, abandoned or left
)

// slot is the slot of a call, which may still wait for it. Only its queue changes it.
type slot struct {
	class   Class
	state   slotState
	owner   *queueClient   // made the call; counts it while it waits
	waiters []*queueClient // wait for it, the owner first; the next slot of any of them goes to it
	holder  *queueClient   // got the slot; counts it while it is granted
	waited  chan struct{}  // closed when it no longer waits; nil if it never did
}

// leastValuable returns the call of c to displace: a call of the lowest class, of several the
// newest. Calls that other clients wait for too are not displaced.
func (c *queueClient) leastValuable() (least *slot) {
	for _, s := range slices.Backward(c.calls) {
		if s.owner == c && len(s.waiters) == 1 && (least == nil || s.class < least.class) {
			least = s
		}
	}
	return least
}

// queueClient is a client that has a slot or waits for one.
type queueClient struct {
	id     netip.Addr
	held   int     // slots
	queued int     // its own calls that wait
	calls  []*slot // that it waits for: Known reads, then others, each the oldest first
	last   uint64  // sequence number of its arrival, or of its last grant or end
}
