package fair

import (
	"container/heap"
	"slices"
)

// State is what became of a call.
type State int

// The states.
const (
	Waiting State = iota
	Granted
	Refused // displaced, abandoned or over
)

// Ticket is a call. The queue that made it alone changes it.
type Ticket[C comparable] struct {
	class  Class
	state  State
	owner  *client[C]   // of one that waits: who began it, and has it counted
	turns  []*client[C] // in whose turns it may go, its owner's first
	holder *client[C]   // of one that has a place: in whose turn it got that, and has it counted
}

// State is what became of the call by now.
func (t *Ticket[C]) State() State { return t.state }

func (q *Queue[C]) append(c *client[C], t *Ticket[C]) {
	c.calls = append(c.calls, t)
	t.turns = append(t.turns, c)
	if c.index < 0 {
		heap.Push(&q.next, c)
	}
}

// remove takes a call out of the queue, whomever's turns it waits for.
func (q *Queue[C]) remove(t *Ticket[C], to State) {
	t.state = to
	t.owner.owns--
	q.waiting--
	for _, c := range t.turns {
		c.calls = slices.DeleteFunc(c.calls, func(other *Ticket[C]) bool { return other == t })
		if len(c.calls) == 0 {
			heap.Remove(&q.next, c.index)
		}
		q.forget(c)
	}
	t.turns = nil
}

// room is how many calls may wait with one of class r among them.
func (q *Queue[C]) room(r Class) int {
	switch r {
	case Refresh:
		return 0
	case Read:
		return q.limits.Queue - q.limits.Queue/4
	}
	return q.limits.Queue
}

// makeRoom reports whether a call of class r of c may wait.
func (q *Queue[C]) makeRoom(c *client[C], r Class) (displaced *Ticket[C], ok bool) {
	room := q.room(r)
	if room == 0 || c.owns >= q.share(room) {
		return nil, false
	}
	if q.waiting < room {
		return nil, true
	}
	most := c
	for _, other := range q.next {
		if other.owns > most.owns {
			most = other
		}
	}
	if most.owns < c.owns+2 {
		return nil, false
	}
	if displaced = most.leastOwn(); displaced == nil {
		return nil, false
	}
	q.remove(displaced, Refused)
	return displaced, true
}

// leastOwn is what c loses first of what it began: what is worth least, of these the
// newest. What others wait for too stays.
func (c *client[C]) leastOwn() (least *Ticket[C]) {
	for _, t := range slices.Backward(c.calls) {
		if t.owner == c && len(t.turns) == 1 && (least == nil || t.class < least.class) {
			least = t
		}
	}
	return least
}

// turns is a heap of the clients that wait, who is next first.
type turns[C comparable] []*client[C]

func (h turns[C]) Len() int { return len(h) }

func (h turns[C]) Less(i, j int) bool {
	if h[i].held != h[j].held {
		return h[i].held < h[j].held
	}
	return h[i].last < h[j].last
}

func (h turns[C]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements [heap.Interface].
func (h *turns[C]) Push(c any) {
	c.(*client[C]).index = len(*h)
	*h = append(*h, c.(*client[C]))
}

// Pop implements [heap.Interface].
func (h *turns[C]) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	c.index = -1
	return c
}
