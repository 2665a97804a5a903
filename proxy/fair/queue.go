// Package fair shares the slots for calls to a site among the clients that cause them.
//
// Start with [Queue]. [Breaker] and [Failures] weigh failures by client. The package
// stores no more of a client than it needs. All of it is data: nothing here waits, reads
// a clock or has a lock.
package fair

import (
	"container/heap"
	"slices"
)

// Limits bound a queue.
type Limits struct {
	Slots int // calls in progress at a time
	Queue int // calls that wait for a slot; 0: none waits
	Share int // percent of Slots and of Queue that one client may have; 0 is 100
}

// Class is the priority of a call: calls of a lower class are refused first.
type Class int

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
type Queue[C comparable] struct {
	limits   Limits
	free     int
	waiting  int              // calls
	sequence uint64           // numbers arrivals, grants and ends
	clients  map[C]*client[C] // that have a slot or wait for one
	next     clientHeap[C]    // those that wait
}

// client is a client that has a slot or waits for one.
type client[C comparable] struct {
	id     C
	held   int        // slots
	queued int        // its own calls that wait
	calls  []*Slot[C] // that it waits for, oldest first
	last   uint64     // sequence number of its arrival, or of its last grant or end
	index  int        // in Queue.next; -1 if it does not wait
}

// NewQueue makes a queue without calls.
func NewQueue[C comparable](l Limits) *Queue[C] {
	if l.Share == 0 {
		l.Share = 100
	}
	return &Queue[C]{limits: l, free: l.Slots, clients: map[C]*client[C]{}}
}

// Waiting returns the number of calls that wait.
func (q *Queue[C]) Waiting() int { return q.waiting }

// UnderWay returns the number of calls in progress.
func (q *Queue[C]) UnderWay() int { return q.limits.Slots - q.free }

// Enter requests a slot for a call of a client. It is granted, waits, or is refused.
// displaced, if not nil, waited and is now refused.
func (q *Queue[C]) Enter(id C, r Class) (s, displaced *Slot[C]) {
	s = &Slot[C]{class: r}
	c := q.clientOf(id)
	// Clients that wait although a slot is free have their share.
	if q.free > 0 && c.held < q.share(q.limits.Slots) {
		q.grant(s, c)
		return s, nil
	}
	displaced, ok := q.makeRoom(c, r)
	if !ok {
		s.state = Refused
		q.forget(c)
		return s, nil
	}
	s.owner = c
	c.queued++
	q.waiting++
	q.append(c, s)
	return s, displaced
}

// Join adds a client to those that wait for a call: the call takes the next slot of any of
// them. It may be granted at once.
func (q *Queue[C]) Join(s *Slot[C], id C) {
	if s.state != Waiting || len(s.waiters) == maxWaiters {
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

// Abandon ends a call that waits.
func (q *Queue[C]) Abandon(s *Slot[C]) {
	if s.state == Waiting {
		q.remove(s, Refused)
	}
}

// Leave ends a call in progress. It returns the slots that are granted instead.
func (q *Queue[C]) Leave(s *Slot[C]) (granted []*Slot[C]) {
	if s.state != Granted {
		panic("BUG: a call without a slot leaves it")
	}
	s.state = Refused
	q.free++
	c := s.holder
	c.held--
	q.sequence++
	c.last = q.sequence // clients with as many slots go first
	if c.index >= 0 {
		heap.Fix(&q.next, c.index)
	}
	q.forget(c)
	return q.fill()
}

// fill grants free slots to calls that wait.
func (q *Queue[C]) fill() (granted []*Slot[C]) {
	for q.free > 0 && len(q.next) > 0 && q.next[0].held < q.share(q.limits.Slots) {
		c := q.next[0]
		s := c.calls[0]
		q.remove(s, Granted)
		q.grant(s, c)
		granted = append(granted, s)
	}
	return granted
}

func (q *Queue[C]) grant(s *Slot[C], c *client[C]) {
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
func (q *Queue[C]) share(n int) int { return min(n, max(1, (n*q.limits.Share+99)/100)) }

func (q *Queue[C]) clientOf(id C) *client[C] {
	c := q.clients[id]
	if c == nil {
		q.sequence++ // goes after the clients that wait already
		c = &client[C]{id: id, last: q.sequence, index: -1}
		q.clients[id] = c
	}
	return c
}

func (q *Queue[C]) forget(c *client[C]) {
	if c.held == 0 && len(c.calls) == 0 {
		delete(q.clients, c.id)
	}
}
