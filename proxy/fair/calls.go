package fair

import (
	"net/netip"
	"slices"
)

// Enter requests a slot for a call of a client. It is granted, waits, or is refused.
// displaced, if not nil, waited and is now refused.
func (q *Queue) Enter(id netip.Addr, r Class) (s, displaced *Slot) {
	s = &Slot{class: r}
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
func (q *Queue) Join(s *Slot, id netip.Addr) {
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
func (q *Queue) Abandon(s *Slot) {
	if s.state == Waiting {
		q.remove(s, Refused)
	}
}

// Leave ends a call in progress. It returns the slots that are granted instead.
func (q *Queue) Leave(s *Slot) (granted []*Slot) {
	if s.state != Granted {
		panic("BUG: a call without a slot leaves it")
	}
	s.state = Refused
	q.free++
	c := s.holder
	c.held--
	q.sequence++
	c.last = q.sequence // clients with as many slots go first
	q.reorder(c)
	q.forget(c)
	return q.fill()
}

// fill grants free slots to calls that wait.
func (q *Queue) fill() (granted []*Slot) {
	for q.free > 0 && len(q.next) > 0 && q.next[0].held < q.share(q.limits.Slots) {
		c := q.next[0]
		s := c.calls[0]
		q.remove(s, Granted)
		q.grant(s, c)
		granted = append(granted, s)
	}
	return granted
}
