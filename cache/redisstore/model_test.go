package redisstore

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"
)

// TestNeverStaleAnywhere plays writes, reads, checks of the log, acknowledgements that
// are late or lost, and frozen instances, in 100,000 orders (fewer under the race detector). A
// read that begins after a write was answered must not miss its purge. Only the transport of
// purges is a model. The production code decides which entries are current, and which instances
// a purge waits for.
func TestNeverStaleAnywhere(t *testing.T) {
	t.Parallel()
	var waited, acknowledged int
	for seed := range uint64(interleavings) {
		m := newModel(seed)
		m.run()
		if m.stale != "" {
			t.Fatalf("seed %d: %s", seed, m.stale)
		}
		waited, acknowledged = waited+m.waited, acknowledged+m.acknowledged
	}
	if waited == 0 || acknowledged == 0 {
		t.Errorf("%d writes waited to the end and %d were acknowledged: one of the paths was not tested", waited, acknowledged)
	}
}

const modelWait = 250 * time.Millisecond

// model is a log with instances that follow it, with a simulated clock.
type model struct {
	random *rand.Rand
	now    time.Time
	queue  events

	log       int // records in it
	instances []*follower
	answered  []time.Time // of each record; zero: not yet

	stale                string // the violation; "": none
	waited, acknowledged int
}

// follower is one instance.
type follower struct {
	LogState
	applied    int
	still      time.Time // it is frozen until then
	registered time.Time // it is a member until then
	waiting    []func()  // reads
	acks       acks
}

type event struct {
	at time.Time
	do func()
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at.Before(e[j].at) }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func newModel(seed uint64) *model {
	m := &model{random: rand.New(rand.NewPCG(seed, 0)), now: time.Unix(1_800_000_000, 0)}
	for range 2 + m.random.IntN(2) {
		f := new(follower)
		f.Wait = modelWait
		m.instances = append(m.instances, f)
		m.after(m.within(300), func() { m.check(f) }) // some start late
	}
	for range 3 {
		m.after(m.within(800), m.write)
	}
	for range 12 {
		m.after(m.within(1200), m.read)
	}
	for range m.random.IntN(3) {
		m.after(m.within(800), func() {
			m.any().still = m.now.Add(m.within(700))
		})
	}
	return m
}

func (m *model) run() {
	for end := m.now.Add(1200 * time.Millisecond); len(m.queue) > 0 && m.stale == ""; {
		e := heap.Pop(&m.queue).(event)
		if m.now = e.at; m.now.After(end) {
			return
		}
		e.do()
	}
}

func (m *model) any() *follower { return m.instances[m.random.IntN(len(m.instances))] }

func (m *model) within(ms int) time.Duration {
	return time.Duration(m.random.IntN(ms*1000)) * time.Microsecond
}

// trip returns the duration of a message, mostly short.
func (m *model) trip() time.Duration {
	if m.random.IntN(10) == 0 {
		return m.within(300)
	}
	return m.within(5)
}

func (m *model) after(d time.Duration, do func()) {
	heap.Push(&m.queue, event{m.now.Add(d), do})
}

// at runs do at an instance after d, and not while it is frozen.
func (m *model) at(f *follower, d time.Duration, do func()) {
	m.after(d, func() {
		if m.now.Before(f.still) {
			m.at(f, f.still.Sub(m.now), do)
			return
		}
		do()
	})
}

// check reads the end of the log repeatedly.
func (m *model) check(f *follower) {
	began := m.now
	m.after(m.trip(), func() {
		end := m.log
		f.registered = m.now.Add(2 * modelWait)
		m.at(f, m.trip(), func() {
			f.applied = max(f.applied, end)
			f.CaughtUp(began)
			waiting := f.waiting
			f.waiting = nil
			for _, read := range waiting {
				read()
			}
			m.at(f, max(0, began.Add(modelWait*2/5).Sub(m.now)), func() { m.check(f) })
		})
	})
}

func (m *model) write() {
	f := m.any()
	if m.now.Before(f.still) {
		return
	}
	set, token, _ := f.acks.expect("w")
	look := func() {} // whether it can be answered
	m.after(m.trip(), func() {
		m.log++
		n := m.log
		m.answered = append(m.answered, time.Time{})
		var live []string
		for i, other := range m.instances {
			if m.now.Before(other.registered) && other != f {
				live = append(live, string(rune('a'+i)))
			}
			m.at(other, m.trip(), func() {
				other.applied = max(other.applied, n)
				if other != f && m.random.IntN(10) > 0 {
					m.at(f, m.trip(), func() { f.acks.receive(string(rune('a'+i)) + token[1:]); look() })
				}
			})
		}
		m.at(f, m.trip(), func() {
			f.applied = max(f.applied, n)
			end := m.now.Add(modelWait)
			look = func() { m.answer(n, set.complete("w", live), end) }
			look()
			m.at(f, modelWait, look)
		})
	})
}

// answer answers a write if all have applied it, or at the end.
func (m *model) answer(n int, complete bool, end time.Time) {
	switch {
	case !m.answered[n-1].IsZero():
		return
	case complete:
		m.acknowledged++
	case m.now.Before(end):
		return
	default:
		m.waited++
	}
	m.answered[n-1] = m.now
}

func (m *model) read() {
	f, began := m.any(), m.now
	var look func()
	look = func() {
		if !f.Current(m.now) {
			f.waiting = append(f.waiting, look)
			return
		}
		for i, at := range m.answered {
			if !at.IsZero() && at.Before(began) && f.applied <= i {
				m.stale = "a read was answered with what was there before a write that had been answered"
			}
		}
	}
	m.at(f, 0, look)
}
