// Package fair shares the slots for calls to a site among the clients that cause them.
//
// Start with [Queue]. [Failures] limits how often each client may fail. The package stores no
// more of a client than it needs. All of it is data: nothing here waits, reads
// a clock or has a lock.
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
	Read
	Write // a person waits, and would have to type again
)

// Queue shares slots among clients. A free slot goes to the client with the fewest calls in
// progress; of several, to the one whose last slot or arrival is longest ago. The calls of
// one client are first come, first served, regardless of their class.
//
// The class limits the length of the queue that a call may join: a refresh never waits, a
// read joins if a quarter of the queue is free, a write if there is room. If there is no
// room, a call displaces one of the client with the most queued calls, if that client has at
// least two more than the caller.
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
	if c.index >= 0 {
		heap.Fix(&q.next, c.index)
	}
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
	c.calls = append(c.calls, s)
	s.waiters = append(s.waiters, c)
	if c.index < 0 {
		heap.Push(&q.next, c)
	}
}

// remove removes a call from the queues of all its waiters.
func (q *Queue) remove(s *Slot, to State) {
	s.state = to
	s.owner.queued--
	q.waiting--
	for _, c := range s.waiters {
		c.calls = slices.DeleteFunc(c.calls, func(other *Slot) bool { return other == s })
		if len(c.calls) == 0 {
			heap.Remove(&q.next, c.index)
		}
		q.forget(c)
	}
	s.waiters = nil
}

// capacity returns how many calls may wait if one of class r joins them.
func (q *Queue) capacity(r Class) int {
	switch r {
	case Refresh:
		return 0
	case Read:
		return q.limits.Queue - q.limits.Queue/4
	}
	return q.limits.Queue
}

// makeRoom reports whether a call of class r of c may wait.
func (q *Queue) makeRoom(c *client, r Class) (displaced *Slot, ok bool) {
	room := q.capacity(r)
	if room == 0 || c.queued >= q.share(room) {
		return nil, false
	}
	if q.waiting < room {
		return nil, true
	}
	longest := c
	for _, other := range q.next {
		if other.queued > longest.queued {
			longest = other
		}
	}
	if longest.queued < c.queued+2 {
		return nil, false
	}
	if displaced = longest.leastValuable(); displaced == nil {
		return nil, false
	}
	q.remove(displaced, Refused)
	return displaced, true
}
