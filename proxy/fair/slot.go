package fair

import (
	"net/netip"
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
type Slot struct {
	class   Class
	state   State
	owner   *client   // made the call; counts it while it waits
	waiters []*client // wait for it, the owner first; the next slot of any of them goes to it
	holder  *client   // got the slot; counts it while it is granted
}

// State returns the state of the slot.
func (s *Slot) State() State { return s.state }

// leastValuable returns the call of c to displace: that of the lowest class, of several the
// newest. Calls that other clients wait for too are not displaced.
func (c *client) leastValuable() (least *Slot) {
	for _, s := range slices.Backward(c.calls) {
		if s.owner == c && len(s.waiters) == 1 && (least == nil || s.class < least.class) {
			least = s
		}
	}
	return least
}

// clientHeap is a heap of the clients that wait, the next to get a slot first.
type clientHeap []*client

func (h clientHeap) Len() int { return len(h) }

func (h clientHeap) Less(i, j int) bool {
	if h[i].first != h[j].first {
		return h[i].first
	}
	if h[i].held != h[j].held {
		return h[i].held < h[j].held
	}
	return h[i].last < h[j].last
}

func (h clientHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements [heap.Interface].
func (h *clientHeap) Push(c any) {
	c.(*client).index = len(*h)
	*h = append(*h, c.(*client))
}

// Pop implements [heap.Interface].
func (h *clientHeap) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	c.index = -1
	return c
}

// Class is the priority of a call: calls of a lower class are refused first.
type Class int

// client is a client that has a slot or waits for one.
type client struct {
	id     netip.Addr
	held   int     // slots
	queued int     // its own calls that wait
	calls  []*Slot // that it waits for: Known reads, then others, each the oldest first
	first  bool    // precedes all clients that are not
	last   uint64  // sequence number of its arrival, or of its last grant or end
	index  int     // in Queue.next; -1 if it does not wait
}
