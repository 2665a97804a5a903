// Package fair shares the slots for calls to a site among the clients that cause them.
//
// Start with [Queue]. The package stores no more of a client than it needs. All of it is data: nothing
// here waits, reads a clock or has a lock.
package fair

import (
	"container/heap"
	"net/netip"
	"slices"
)

// Limits bound a queue.
type Limits struct {
	Slots int // calls in progress at a time
	Queue int // calls that wait for a slot; 0: none waits
	Share int // percent of Slots and of Queue that one client may have; 0 is 100
}

// The classes.
const (
	Refresh Class = iota // a stale response is served meanwhile
	Read                 // of a key that may never have been served
	Known                // a read of a key that was served before
	Write                // a person waits, and would have to type again
)

// Queue shares slots among clients. A free slot goes to the client with the fewest calls in
// progress; of several, to the one whose last slot or arrival is longest ago. The calls of
// one client are first come, first served, but a Known read goes first, also before other clients
// while its own has less than an eighth of the slots.
//
// The class limits the length of the queue that a call may join: a refresh never waits, a
// read joins if a quarter of the queue is free, a write if there is room. If there is no
// room, a Known read displaces a Read of the client with the most queued calls. Any call
// displaces one of that client if it has at least two more than the caller.
type Queue struct {
	limits   Limits
	free     int
	waiting  int                    // calls
	sequence uint64                 // numbers arrivals, grants and ends
	clients  map[netip.Addr]*client // that have a slot or wait for one
	next     clientHeap             // those that wait
}

// NewQueue makes a queue without calls.
func NewQueue(l Limits) *Queue {
	if l.Share == 0 {
		l.Share = 100
	}
	return &Queue{limits: l, free: l.Slots, clients: map[netip.Addr]*client{}}
}

// Waiting returns the number of calls that wait.
func (q *Queue) Waiting() int { return q.waiting }

// UnderWay returns the number of calls in progress.
func (q *Queue) UnderWay() int { return q.limits.Slots - q.free }

func (q *Queue) grant(s *Slot, c *client) {
	q.clients[c.id] = c // it may have been forgotten
	q.free--
	q.sequence++
	c.held++
	c.last = q.sequence
	s.state, s.holder = Granted, c
	q.reorder(c)
}

// share returns how many of n one client may have: at least one.
func (q *Queue) share(n int) int { return min(n, max(1, (n*q.limits.Share+99)/100)) }

func (q *Queue) clientOf(id netip.Addr) *client {
	c := q.clients[id]
	if c == nil {
		q.sequence++ // goes after the clients that wait already
		c = &client{id: id, last: q.sequence, index: -1}
		q.clients[id] = c
	}
	return c
}

func (q *Queue) forget(c *client) {
	if c.held == 0 && len(c.calls) == 0 {
		delete(q.clients, c.id)
	}
}

func (q *Queue) append(c *client, s *Slot) {
	q.clients[c.id] = c // it may have been forgotten
	at := len(c.calls)
	if s.class == Known {
		for at > 0 && c.calls[at-1].class != Known {
			at--
		}
	}
	c.calls = slices.Insert(c.calls, at, s)
	s.waiters = append(s.waiters, c)
	q.reorder(c)
}

// reorder restores the order of the clients that wait after a change of c.
func (q *Queue) reorder(c *client) {
	few := min(max(1, q.limits.Slots/8), q.share(q.limits.Slots))
	c.first = len(c.calls) > 0 && c.calls[0].class == Known && c.held < few
	switch {
	case len(c.calls) > 0 && c.index < 0:
		heap.Push(&q.next, c)
	case len(c.calls) > 0:
		heap.Fix(&q.next, c.index)
	case c.index >= 0:
		heap.Remove(&q.next, c.index)
	}
}

// remove removes a call from the queues of all its waiters.
func (q *Queue) remove(s *Slot, to State) {
	s.state = to
	s.owner.queued--
	q.waiting--
	for _, c := range s.waiters {
		c.calls = slices.DeleteFunc(c.calls, func(other *Slot) bool { return other == s })
		q.reorder(c)
		q.forget(c)
	}
	s.waiters = nil
}

// capacity returns how many calls may wait if one of class r joins them.
func (q *Queue) capacity(r Class) int {
	switch r {
	case Refresh:
		return 0
	case Read, Known:
		return q.limits.Queue - q.limits.Queue/4
	}
	return q.limits.Queue
}

// makeRoom reports whether a call of class r of c may wait.
func (q *Queue) makeRoom(c *client, r Class) (displaced *Slot, ok bool) {
	room := q.capacity(r)
	own := c.queued >= q.share(room) // it may only displace one of its own
	switch {
	case room == 0:
		return nil, false
	case !own && q.waiting < room:
		return nil, true
	case r == Known:
		displaced = q.leastKnown(c, own)
	}
	if displaced == nil && !own {
		displaced = q.ofLongest(c)
	}
	if displaced == nil {
		return nil, false
	}
	q.remove(displaced, Refused)
	return displaced, true
}

// leastKnown returns the Read to displace for a Known read of c: of the client with the most
// queued calls, or of c.
func (q *Queue) leastKnown(c *client, own bool) (least *Slot) {
	for _, other := range q.next {
		if own && other != c || least != nil && other.queued <= least.owner.queued {
			continue
		}
		if s := other.leastValuable(); s != nil && s.class == Read {
			least = s
		}
	}
	return least
}

// ofLongest returns the call to displace for one of c, whatever their classes.
func (q *Queue) ofLongest(c *client) *Slot {
	longest := c
	for _, other := range q.next {
		if other.queued > longest.queued {
			longest = other
		}
	}
	if longest.queued < c.queued+2 {
		return nil
	}
	return longest.leastValuable()
}
