package fair

import (
	"container/heap"
	"slices"
)

// State is the state of a slot.
type State int

// The states.
const (
	Waiting State = iota
	Granted
	Refused // displaced, abandoned or left
)

// Slot is the slot of a call, which may still wait for it. Only its queue changes it.
type Slot[C comparable] struct {
	class   Class
	state   State
	owner   *client[C]   // made the call; counts it while it waits
	waiters []*client[C] // wait for it, the owner first; the next slot of any of them goes to it
	holder  *client[C]   // got the slot; counts it while it is granted
}

// State returns the state of the slot.
func (s *Slot[C]) State() State { return s.state }

func (q *Queue[C]) append(c *client[C], s *Slot[C]) {
	c.calls = append(c.calls, s)
	s.waiters = append(s.waiters, c)
	if c.index < 0 {
		heap.Push(&q.next, c)
	}
}

// remove removes a call from the queues of all its waiters.
func (q *Queue[C]) remove(s *Slot[C], to State) {
	s.state = to
	s.owner.queued--
	q.waiting--
	for _, c := range s.waiters {
		c.calls = slices.DeleteFunc(c.calls, func(other *Slot[C]) bool { return other == s })
		if len(c.calls) == 0 {
			heap.Remove(&q.next, c.index)
		}
		q.forget(c)
	}
	s.waiters = nil
}

// capacity returns how many calls may wait if one of class r joins them.
func (q *Queue[C]) capacity(r Class) int {
	switch r {
	case Refresh:
		return 0
	case Read:
		return q.limits.Queue - q.limits.Queue/4
	}
	return q.limits.Queue
}

// makeRoom reports whether a call of class r of c may wait.
func (q *Queue[C]) makeRoom(c *client[C], r Class) (displaced *Slot[C], ok bool) {
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

// leastValuable returns the call of c to displace: that of the lowest class, of several the
// newest. Calls that other clients wait for too are not displaced.
func (c *client[C]) leastValuable() (least *Slot[C]) {
	for _, s := range slices.Backward(c.calls) {
		if s.owner == c && len(s.waiters) == 1 && (least == nil || s.class < least.class) {
			least = s
		}
	}
	return least
}

// clientHeap is a heap of the clients that wait, the next to get a slot first.
type clientHeap[C comparable] []*client[C]

func (h clientHeap[C]) Len() int { return len(h) }

func (h clientHeap[C]) Less(i, j int) bool {
	if h[i].held != h[j].held {
		return h[i].held < h[j].held
	}
	return h[i].last < h[j].last
}

func (h clientHeap[C]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements [heap.Interface].
func (h *clientHeap[C]) Push(c any) {
	c.(*client[C]).index = len(*h)
	*h = append(*h, c.(*client[C]))
}

// Pop implements [heap.Interface].
func (h *clientHeap[C]) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	c.index = -1
	return c
}
