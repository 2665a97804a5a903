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
	Places int // calls under way at once
	Queue  int // calls that wait for one of these to end; 0: none waits
	Share  int // percent of Places and of Queue that one client may have; 0 is 100
}

// Class is the priority of a call: calls of a lower class are refused first.
type Class int

// The classes.
const (
	Refresh Class = iota // there is something stale to give meanwhile
	Read
	Write // a person waits, and has typed something
)

// Queue shares places among clients. A free place goes to the client with the fewest
// calls under way, of several to the one that has waited longest since it had one or
// came. A client that has more than another one that waits gets none. Calls of one
// client go first come, first served, whatever their class.
//
// The longer the queue, the fewer may join it: a refresh none at all, reads all but a
// quarter of it, writes all. A call for which there is no room displaces one of the
// client that has the most in the queue, if that has at least two more than its own.
type Queue[C comparable] struct {
	limits  Limits
	free    int
	waiting int // calls
	turns   uint64
	clients map[C]*client[C] // that have a place or wait for one
	next    turns[C]         // of these, those that wait
}

// client is one that has a place or waits for one.
type client[C comparable] struct {
	id    C
	held  int          // places
	owns  int          // calls that wait, of those that it began
	calls []*Ticket[C] // that wait for its turn, oldest first
	last  uint64       // when it last got a place or left one, or came
	index int          // in Queue.next; -1: not there
}

// NewQueue makes a queue without calls.
func NewQueue[C comparable](l Limits) *Queue[C] {
	if l.Share == 0 {
		l.Share = 100
	}
	return &Queue[C]{limits: l, free: l.Places, clients: map[C]*client[C]{}}
}

// Waiting is the number of calls that wait.
func (q *Queue[C]) Waiting() int { return q.waiting }

// UnderWay is the number of calls under way.
func (q *Queue[C]) UnderWay() int { return q.limits.Places - q.free }

// Enter begins a call of a client. Its ticket has a place, waits, or was refused.
// displaced, if not nil, waited and does no more.
func (q *Queue[C]) Enter(id C, r Class) (t, displaced *Ticket[C]) {
	t = &Ticket[C]{class: r}
	c := q.clientOf(id)
	// Those that wait beside a free place have their share.
	if q.free > 0 && c.held < q.share(q.limits.Places) {
		q.grant(t, c)
		return t, nil
	}
	displaced, ok := q.makeRoom(c, r)
	if !ok {
		t.state = Refused
		q.forget(c)
		return t, nil
	}
	t.owner = c
	c.owns++
	q.waiting++
	q.append(c, t)
	return t, displaced
}

// Join has a call that waits go in a client's turn too, whichever is first. It may get
// a place by it.
func (q *Queue[C]) Join(t *Ticket[C], id C) {
	if t.state != Waiting || len(t.turns) == maxTurns {
		return
	}
	c := q.clientOf(id)
	if slices.Contains(t.turns, c) {
		return
	}
	q.append(c, t)
	q.fill()
}

// maxTurns is in how many clients' turns a call may go: more would hardly bring it on.
const maxTurns = 8

// Abandon ends a call that waits.
func (q *Queue[C]) Abandon(t *Ticket[C]) {
	if t.state == Waiting {
		q.remove(t, Refused)
	}
}

// Leave ends a call under way. It returns those that got a place by it.
func (q *Queue[C]) Leave(t *Ticket[C]) (granted []*Ticket[C]) {
	if t.state != Granted {
		panic("BUG: a call that has no place leaves it")
	}
	t.state = Refused
	q.free++
	c := t.holder
	c.held--
	q.turns++
	c.last = q.turns // others first, who have as many
	if c.index >= 0 {
		heap.Fix(&q.next, c.index)
	}
	q.forget(c)
	return q.fill()
}

// fill gives free places to those that wait.
func (q *Queue[C]) fill() (granted []*Ticket[C]) {
	for q.free > 0 && len(q.next) > 0 && q.next[0].held < q.share(q.limits.Places) {
		c := q.next[0]
		t := c.calls[0]
		q.remove(t, Granted)
		q.grant(t, c)
		granted = append(granted, t)
	}
	return granted
}

func (q *Queue[C]) grant(t *Ticket[C], c *client[C]) {
	q.clients[c.id] = c // which may have been forgotten since
	q.free--
	q.turns++
	c.held++
	c.last = q.turns
	t.state, t.holder = Granted, c
	if c.index >= 0 {
		heap.Fix(&q.next, c.index)
	}
}

// share is what one client may have of n: at least one.
func (q *Queue[C]) share(n int) int { return min(n, max(1, (n*q.limits.Share+99)/100)) }

func (q *Queue[C]) clientOf(id C) *client[C] {
	c := q.clients[id]
	if c == nil {
		q.turns++ // whoever arrives goes after those that have waited for a turn
		c = &client[C]{id: id, last: q.turns, index: -1}
		q.clients[id] = c
	}
	return c
}

func (q *Queue[C]) forget(c *client[C]) {
	if c.held == 0 && len(c.calls) == 0 {
		delete(q.clients, c.id)
	}
}
