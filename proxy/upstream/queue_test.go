package upstream

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
)

// numbered returns the address of a client.
func numbered(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) }

// end releases a slot, and returns the calls that are granted one.
func (q *queue) end(s *slot) []*slot {
	waiting := slices.Clone(q.waiting)
	q.release(s)
	return slices.DeleteFunc(waiting, func(s *slot) bool { return !s.held })
}

// model drives a queue at random, and checks it after each step.
type model struct {
	*queue
	t       *testing.T
	under   []*slot
	waiting []*slot
}

// client returns the state of a client; the zero state if the queue does not know it.
func (m *model) client(id netip.Addr) queueClient {
	if c := m.clients[id]; c != nil {
		return *c
	}
	return queueClient{id: id}
}

func (m *model) enter(id netip.Addr, class Class) {
	room := m.room(class)
	client := m.client(id)
	waiting := len(m.queue.waiting)
	free := m.free > 0 && client.held < share(m.slots)
	s := m.queue.enter(id, class)
	switch {
	case s == nil && free:
		m.t.Fatal("refused beside a free slot")
	case s == nil && waiting < room && client.waits < share(room):
		m.t.Fatal("refused though there is room")
	case s == nil:
	case s.held && !free:
		m.t.Fatal("granted past its share")
	case s.held:
		m.under = append(m.under, s)
	case free || class == Refresh:
		m.t.Fatal("waits needlessly")
	default:
		m.waiting = append(m.waiting, s)
	}
}

func (m *model) end(i int) {
	s := m.under[i]
	m.under = slices.Delete(m.under, i, i+1)
	heads := map[netip.Addr]*slot{}
	for id, c := range m.clients {
		heads[id] = m.head(c)
	}
	for n, granted := range m.queue.end(s) {
		c := granted.client
		if n == 0 && heads[c.id] != granted {
			m.t.Fatal("not the oldest of its client")
		}
		for _, client := range m.clients {
			if n == 0 && client.waits > 0 && granted.class != Known && client.held < c.held-1 {
				m.t.Fatalf("granted to %s with %d, while %s with %d waits", c.id, c.held, client.id, client.held)
			}
		}
		m.under = append(m.under, granted)
		m.waiting = slices.DeleteFunc(m.waiting, func(candidate *slot) bool { return candidate == granted })
	}
}

// head returns the next call of a client; nil if it waits for no call.
func (m *model) head(c *queueClient) (head *slot) {
	for _, s := range m.queue.waiting {
		if s.client == c && (head == nil || s.class == Known && head.class != Known) {
			head = s
		}
	}
	return head
}

// check verifies the invariants.
func (m *model) check() {
	held := 0
	waits := 0
	for id, c := range m.clients {
		held += c.held
		waits += c.waits
		if c.id != id || c.held > share(m.slots) || c.waits > share(m.places) {
			m.t.Fatalf("client %s has %d slots and %d places", id, c.held, c.waits)
		}
		if c.held == 0 && c.waits == 0 {
			m.t.Fatalf("client %s is remembered without a call", id)
		}
		if m.free > 0 && c.waits > 0 && c.held < share(m.slots) {
			m.t.Fatalf("client %s waits beside a free slot", id)
		}
	}
	under, waiting := m.load()
	if held != len(m.under) || held != under || waiting != len(m.waiting) || waiting > m.places || waits != waiting {
		m.t.Fatalf("%d of %d under way, %d of %d waiting for %d", held, len(m.under), waiting, len(m.waiting), waits)
	}
}

func (m *model) step(r *rand.Rand, clients int) {
	switch id := numbered(r.IntN(clients)); r.IntN(5) {
	case 0, 1, 2:
		m.enter(id, Class(r.IntN(4)))
	case 3:
		if len(m.under) > 0 {
			m.end(r.IntN(len(m.under)))
		}
	case 4:
		if i := len(m.waiting); i > 0 && r.IntN(3) == 0 {
			i = r.IntN(i)
			if m.leave(m.waiting[i]) {
				m.t.Fatal("a call that waits has a slot")
			}
			m.waiting = slices.Delete(m.waiting, i, i+1)
		}
	}
}

// TestQueueProperties: after any sequence of steps, limits hold, no slot is free while a call
// could have it, no client precedes one with fewer slots but with a known read, and no client is
// lost or leaked.
func TestQueueProperties(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 16))
		m := &model{queue: newQueue(1+r.IntN(9), r.IntN(20), 0), t: t}
		for range 200 {
			m.step(r, 1+r.IntN(12))
			m.check()
		}
		for len(m.under) > 0 {
			m.end(r.IntN(len(m.under)))
			m.check()
		}
		if len(m.waiting) > 0 || len(m.clients) > 0 {
			t.Fatalf("seed %d: %d wait for ever, %d clients", seed, len(m.waiting), len(m.clients))
		}
	}
}

// fill makes a client request n slots, and returns its calls that have one, and how many were refused.
func (q *queue) fill(id netip.Addr, n int) (under []*slot, refused int) {
	for range n {
		switch s := q.enter(id, Read); {
		case s == nil:
			refused++
		case s.held:
			under = append(under, s)
		}
	}
	return under, refused
}

// TestQueueUnderAttack: when a client has everything that it may have, no call of another client is
// refused, and these get the next slots.
func TestQueueUnderAttack(t *testing.T) {
	attacker := numbered(1)
	neighbour := numbered(2)
	q := newQueue(64, 64, 0)
	under, refused := q.fill(attacker, 150)
	if len(under) != 48 || len(q.waiting) != 36 || refused != 150-48-36 {
		t.Fatalf("%d under way, %d wait, %d refused", len(under), len(q.waiting), refused)
	}
	for n := range 16 {
		if s := q.enter(neighbour, Read); s == nil || !s.held {
			t.Fatalf("call %d has no slot", n)
		}
	}
	var calls []*slot
	for range 12 {
		calls = append(calls, q.enter(neighbour, Read))
	}
	for i, call := range calls {
		if granted := q.end(under[i]); call == nil || len(granted) != 1 || granted[0] != call {
			t.Fatalf("slot %d is not the other's", i)
		}
	}
}

// TestQueueOfOneSlot: calls of a client that fills the queue do not delay another client.
func TestQueueOfOneSlot(t *testing.T) {
	q := newQueue(1, 64, 0)
	under, _ := q.fill(numbered(1), 100)
	call := q.enter(numbered(2), Read)
	if granted := q.end(under[0]); call == nil || len(granted) != 1 || granted[0] != call {
		t.Error("the other client is not the next")
	}
}

// TestQueueKnownFirst: while 50 clients fill the queue with reads of keys never served, reads of known
// keys have room, and get the next slots until their client has an eighth of all.
func TestQueueKnownFirst(t *testing.T) {
	q := newQueue(64, 80, 0)
	var under []*slot
	for n := range 200 {
		if s := q.enter(numbered(n%50), Read); s != nil && s.held {
			under = append(under, s)
		}
	}
	if len(under) != 64 || len(q.waiting) != 60 {
		t.Fatalf("%d under way, %d wait", len(under), len(q.waiting))
	}
	reader := numbered(100)
	if s := q.enter(reader, Read); s != nil {
		t.Error("a read of a key never served has room")
	}
	for n := range 9 {
		s := q.enter(reader, Known)
		if s == nil {
			t.Fatalf("known read %d is refused", n+1)
		}
		if granted := q.end(under[n]); len(granted) != 1 || (granted[0] == s) != (n < 8) {
			t.Errorf("known read %d is the next: %t", n+1, granted[0] == s)
		}
	}
}

// TestQueueKnownOfOneClient: the same holds among the reads of a single client, such as a proxy.
func TestQueueKnownOfOneClient(t *testing.T) {
	q := newQueue(1, 8, 0)
	proxy := numbered(1)
	under := q.enter(proxy, Read)
	for range 5 {
		q.enter(proxy, Read)
	}
	if s := q.enter(proxy, Read); s != nil {
		t.Error("waits beyond its share")
	}
	first := q.enter(proxy, Known)
	for n := range 2 {
		granted := q.end(under)
		if len(granted) != 1 || (granted[0] == first) != (n == 0) {
			t.Fatalf("slot %d", n)
		}
		under = granted[0]
	}
}

func BenchmarkQueue(b *testing.B) {
	q := newQueue(64, 64, 0)
	ids := make([]netip.Addr, 256)
	for i := range ids {
		ids[i] = numbered(i)
	}
	b.ReportAllocs()
	for i := range b.N {
		s := q.enter(ids[i%len(ids)], Read)
		q.release(s)
	}
}
