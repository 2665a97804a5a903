package upstream

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
)

// numbered returns the address of a client.
func numbered(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) }

// The states of a slot.
const (
	slotWaiting = "waiting"
	slotGranted = "granted"
	slotRefused = "refused"
)

func (s *slot) state() string {
	switch {
	case s.holder != nil:
		return slotGranted
	case len(s.waiters) > 0:
		return slotWaiting
	}
	return slotRefused
}

// request requests a slot, and returns the call that is refused instead; nil for none.
func (q *queue) request(id netip.Addr, class Class) (s, displaced *slot) {
	before := slices.Clone(q.waiting)
	s = q.enter(id, class)
	if i := slices.IndexFunc(before, func(s *slot) bool { return s.state() == slotRefused }); i >= 0 {
		displaced = before[i]
	}
	return s, displaced
}

// end releases a slot, and returns the calls that are granted one.
func (q *queue) end(s *slot) []*slot {
	before := slices.Clone(q.waiting)
	q.release(s)
	return slices.DeleteFunc(before, func(s *slot) bool { return s.state() != slotGranted })
}

// model drives a queue at random, and checks it after each step.
type model struct {
	*queue
	t       *testing.T
	under   []*slot
	waiting []*slot
}

func (m *model) held(id netip.Addr) int {
	if c := m.clients[id]; c != nil {
		return c.held
	}
	return 0
}

func (m *model) owns(id netip.Addr) int {
	if c := m.clients[id]; c != nil {
		return c.waits
	}
	return 0
}

func (m *model) enter(id netip.Addr, r Class) {
	room, held, owns, waiting := m.capacity(r), m.held(id), m.owns(id), len(m.queue.waiting)
	free := m.free > 0 && held < m.share(m.slots)
	t, displaced := m.queue.request(id, r)
	if displaced != nil {
		ahead := r == Known && displaced.class < Known
		if displaced.state() != slotRefused || !ahead && (displaced.owner.waits+1 < owns+2 || waiting < room) {
			m.t.Fatalf("displaced one of %s, owner of %d, for one of %d", displaced.owner.id, displaced.owner.waits+1, owns)
		}
		m.waiting = slices.DeleteFunc(m.waiting, func(other *slot) bool { return other == displaced })
	}
	switch t.state() {
	case slotGranted:
		if !free {
			m.t.Fatal("granted past its share")
		}
		m.under = append(m.under, t)
	case slotWaiting:
		if free || r == Refresh {
			m.t.Fatal("waits needlessly")
		}
		m.waiting = append(m.waiting, t)
	case slotRefused:
		if free {
			m.t.Fatal("refused beside a free slot")
		}
		if waiting < room && owns < m.share(room) {
			m.t.Fatal("refused though there is room")
		}
	}
}

func (m *model) leave(i int) {
	t := m.under[i]
	m.under = slices.Delete(m.under, i, i+1)
	heads := map[netip.Addr]*slot{}
	for id, c := range m.clients {
		heads[id] = m.head(c)
	}
	for n, got := range m.end(t) {
		id := got.holder.id
		if n == 0 && heads[id] != got {
			m.t.Fatal("not the oldest of its client")
		}
		for _, other := range m.clients {
			if n == 0 && other.waits > 0 && got.class != Known && m.held(other.id) < m.held(id)-1 {
				m.t.Fatalf("granted to %s with %d, while %s with %d waits", id, m.held(id), other.id, m.held(other.id))
			}
		}
		m.under = append(m.under, got)
		m.waiting = slices.DeleteFunc(m.waiting, func(other *slot) bool { return other == got })
	}
}

// head returns the next call of a client; nil if it waits for none.
func (m *model) head(c *queueClient) (head *slot) {
	for _, s := range m.queue.waiting {
		if slices.Contains(s.waiters, c) && (head == nil || s.class == Known && head.class != Known) {
			head = s
		}
	}
	return head
}

// check verifies the invariants.
func (m *model) check() {
	held, waits, owned := 0, 0, map[*queueClient]int{}
	for id, c := range m.clients {
		held += c.held
		waits += c.waits
		if c.id != id || c.held > m.share(m.slots) {
			m.t.Fatalf("client %s has %d slots", id, c.held)
		}
		if c.held == 0 && c.waits == 0 {
			m.t.Fatalf("client %s is remembered without a call", id)
		}
		if m.free > 0 && c.waits > 0 && c.held < m.share(m.slots) {
			m.t.Fatalf("client %s waits beside a free slot", id)
		}
	}
	if under, waiting := m.load(); held != len(m.under) || held != under || waiting != len(m.waiting) || waiting > m.places {
		m.t.Fatalf("%d of %d under way, %d of %d waiting", held, len(m.under), waiting, len(m.waiting))
	}
	for _, t := range m.waiting {
		waits -= len(t.waiters)
		if owned[t.owner]++; owned[t.owner] > m.share(m.places) {
			m.t.Fatalf("%s has %d calls that wait", t.owner.id, owned[t.owner])
		}
		if t.state() != slotWaiting || len(t.waiters) == 0 || len(t.waiters) > maxWaiters {
			m.t.Fatal("a call waits without a client")
		}
	}
	if waits != 0 {
		m.t.Fatalf("clients wait for %d calls too many", waits)
	}
}

func (m *model) step(r *rand.Rand, clients int) {
	switch id := numbered(r.IntN(clients)); r.IntN(6) {
	case 0, 1, 2:
		m.enter(id, Class(r.IntN(4)))
	case 3:
		if len(m.under) > 0 {
			m.leave(r.IntN(len(m.under)))
		}
	case 4:
		if len(m.waiting) > 0 {
			i := r.IntN(len(m.waiting))
			t := m.waiting[i]
			if m.join(t, id); t.state() == slotGranted {
				m.under = append(m.under, t)
				m.waiting = slices.Delete(m.waiting, i, i+1)
			}
		}
	case 5:
		if i := len(m.waiting); i > 0 && r.IntN(3) == 0 {
			i = r.IntN(i)
			m.remove(m.waiting[i])
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
		m := &model{queue: newQueue(1+r.IntN(9), r.IntN(20), 1+r.IntN(100), 0), t: t}
		for range 200 {
			m.step(r, 1+r.IntN(12))
			m.check()
		}
		for len(m.under) > 0 {
			m.leave(r.IntN(len(m.under)))
			m.check()
		}
		if len(m.waiting) > 0 || len(m.clients) > 0 {
			t.Fatalf("seed %d: %d wait for ever, %d clients", seed, len(m.waiting), len(m.clients))
		}
	}
}

// TestQueueUnderAttack: when a client has all that it may have, another one gets the next
// slots, its calls displace the first one's, and none of its own is refused.
func TestQueueUnderAttack(t *testing.T) {
	attacker, other := numbered(1), numbered(2)
	q := newQueue(64, 64, 100, 0)
	var under []*slot
	refused := 0
	for range 150 {
		switch t, _ := q.request(attacker, Read); t.state() {
		case slotGranted:
			under = append(under, t)
		case slotRefused:
			refused++
		}
	}
	if len(under) != 64 || len(q.waiting) != 48 || refused != 150-64-48 {
		t.Fatalf("%d under way, %d wait, %d refused", len(under), len(q.waiting), refused)
	}
	var mine []*slot
	for range 24 {
		call, displaced := q.request(other, Read)
		if call.state() != slotWaiting || displaced == nil {
			t.Fatalf("call %d: %v, displaced %v", len(mine), call.state(), displaced)
		}
		mine = append(mine, call)
	}
	if call, displaced := q.request(attacker, Write); call.state() == slotWaiting && displaced != nil && displaced.owner.id == other {
		t.Error("the attacker displaces the other")
	}
	for i, call := range under[:24] {
		if got := q.end(call); len(got) != 1 || got[0] != mine[i] {
			t.Fatalf("slot %d is not the other's", i)
		}
	}
}

// TestQueueKnownFirst: while 50 clients wait with reads of keys never served, reads of known keys
// displace them and get the next slots, until their client has an eighth of all.
func TestQueueKnownFirst(t *testing.T) {
	q := newQueue(64, 64, 75, 0)
	var under []*slot
	for n := range 200 {
		if s, _ := q.request(numbered(n%50), Read); s.state() == slotGranted {
			under = append(under, s)
		}
	}
	if len(under) != 64 || len(q.waiting) != 48 {
		t.Fatalf("%d under way, %d wait", len(under), len(q.waiting))
	}
	reader := numbered(100)
	if s, _ := q.request(reader, Read); s.state() != slotRefused {
		t.Error("the read of a key never served displaces others")
	}
	var known []*slot
	for n := range 9 {
		s, displaced := q.request(reader, Known)
		if s.state() != slotWaiting || displaced == nil || displaced.class != Read {
			t.Fatalf("known read %d: %v, displaced %v", n+1, s.state(), displaced)
		}
		known = append(known, s)
	}
	for n, s := range known {
		if got := q.end(under[n]); len(got) != 1 || (got[0] == s) != (n < 8) {
			t.Errorf("known read %d is the next: %t", n+1, got[0] == s)
		}
	}
}

// TestQueueKnownOfOneClient: the same holds among the reads of a single client, such as a proxy.
func TestQueueKnownOfOneClient(t *testing.T) {
	q, proxy := newQueue(2, 8, 50, 0), numbered(1)
	under, _ := q.request(proxy, Read)
	for range 3 {
		q.request(proxy, Read)
	}
	if s, _ := q.request(proxy, Read); s.state() != slotRefused {
		t.Error("waits beyond its share")
	}
	first, displaced := q.request(proxy, Known)
	if first.state() != slotWaiting || displaced == nil {
		t.Fatalf("%v, displaced %v", first.state(), displaced)
	}
	second, _ := q.request(proxy, Known)
	for n, want := range []*slot{first, second} {
		got := q.end(under)
		if len(got) != 1 || got[0] != want {
			t.Fatalf("known read %d is not the next", n+1)
		}
		under = got[0]
	}
	if len(q.waiting) != 1 {
		t.Errorf("%d wait", len(q.waiting))
	}
}

// TestQueueJoin: a call that another client waits for too may get that client's slot, and is
// not displaced.
func TestQueueJoin(t *testing.T) {
	q := newQueue(2, 4, 100, 0)
	first, _ := q.request(numbered(1), Write)
	second, _ := q.request(numbered(1), Write)
	var calls []*slot
	for range 4 {
		call, _ := q.request(numbered(1), Write)
		calls = append(calls, call)
	}
	q.join(calls[3], numbered(2))
	q.join(calls[3], numbered(2))
	if _, displaced := q.request(numbered(3), Write); displaced != calls[2] {
		t.Error("not the newest that no other client waits for")
	}
	if got := q.end(first); len(got) != 1 || got[0] != calls[3] {
		t.Fatal("not the call that was joined")
	}
	q.join(calls[3], numbered(4)) // too late
	if got := q.end(second); len(got) != 1 || got[0].holder.id != numbered(3) {
		t.Fatal("not the client that has waited longest")
	}
	if q.clients[numbered(2)].held != 1 || q.clients[numbered(4)] != nil {
		t.Error("a slot counts for another client than the one that got it")
	}
}

func BenchmarkQueue(b *testing.B) {
	q := newQueue(64, 64, 75, 0)
	ids := make([]netip.Addr, 256)
	for i := range ids {
		ids[i] = numbered(i)
	}
	b.ReportAllocs()
	for i := range b.N {
		t := q.enter(ids[i%len(ids)], Read)
		q.release(t)
	}
}
