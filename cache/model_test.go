package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// orders is the number of orders that TestNeverStaleAnywhere plays.
const orders = 5000

// TestNeverStaleAnywhere plays reads, writes and faults at three instances in random orders, with a
// clock that stands still while anything runs. Only Redis is a model, and the way to it; the production
// code decides what is served. A read that began after a write was answered gets no older version, if
// the purge was shared, unless Redis counted as down and the instance serves then. An instance always shows
// its own writes. What an instance wrote that dies before its purge, after an announcement that the log has, shows
// everywhere a second later.
func TestNeverStaleAnywhere(t *testing.T) {
	t.Parallel()
	var all outcomes
	for seed := range uint64(orders) {
		synctest.Test(t, func(t *testing.T) {
			m := newModel(t, seed)
			m.run()
			all.add(m.outcomes)
		})
	}
	t.Logf("%+v", all)
	if all.Hits == 0 || all.Shared == 0 || all.InLog == 0 || all.Untaken == 0 || all.Unknown == 0 || all.Direct == 0 || all.Lost == 0 || all.Died == 0 {
		t.Errorf("one of the paths was not tested: %+v", all)
	}
}

// outcomes count what happened.
type outcomes struct {
	Reads, Unknown int // all; those whose log read failed
	Direct         int // of these, those while Redis did not count as down
	Hits, Shared   int // from memory or Redis; entries of Redis that were found
	InLog, Untaken int // writes
	Lost           int // records of the log that a restart lost
	Died           int // writers between the write and its purge, which a later read checked
}

func (o *outcomes) add(p outcomes) {
	o.Reads = o.Reads + p.Reads
	o.Unknown = o.Unknown + p.Unknown
	o.Hits = o.Hits + p.Hits
	o.Shared = o.Shared + p.Shared
	o.Direct += p.Direct
	o.Died += p.Died
	o.InLog = o.InLog + p.InLog
	o.Untaken = o.Untaken + p.Untaken
	o.Lost = o.Lost + p.Lost
}

// model is a Redis, with instances that share it.
type model struct {
	*testing.T
	outcomes
	seed   uint64
	mu     sync.Mutex // of all that follows; nobody waits while it is locked
	random *rand.Rand

	redis, saved state // saved is what a restart goes back to
	epoch        int   // of the memory of Redis
	ahead        time.Duration
	down         bool
	starts       time.Time // until when Redis does not answer after a restart

	instances [3]*instance
	faults    int
	versions  [2]int64    // of the pages at the source
	shared    [2]int64    // that each instance knows
	own       [2][3]int64 // that the instance wrote
	died      [2]int64    // whose writer died
}

// state is the content of Redis.
type state struct {
	log     []item
	entries map[string][]byte
}

type item struct {
	at     redisstore.Position
	record []byte // nil: a mark
}

func (s state) copy() state {
	return state{log: s.log[:len(s.log):len(s.log)], entries: maps.Clone(s.entries)}
}

func (s state) last() redisstore.Position {
	if len(s.log) == 0 {
		return 0
	}
	return s.log[len(s.log)-1].at
}

// instance is a cache with its end of the log, instead of a [redisstore.Store].
type instance struct {
	*model
	cache    *Cache
	follower redisstore.Follower
	reading  chan struct{} // has a value while a log read is in progress
	cut      bool          // it does not reach Redis
	failing  time.Time     // since when calls have failed; zero: the last one succeeded
	downs    int           // how often Redis counted as down when it mattered

	epoch  int
	known  string // the epoch of the last log read that succeeded
	cursor redisstore.Position
}

var errAway = errors.New("the model of Redis does not answer")

func newModel(t *testing.T, seed uint64) *model {
	m := &model{T: t, seed: seed, random: rand.New(rand.NewPCG(seed, 0)), epoch: 1}
	m.redis.entries = map[string][]byte{}
	m.saved.entries = map[string][]byte{}
	for i := range m.instances {
		in := &instance{model: m, reading: make(chan struct{}, 1)}
		in.cache = New(Options{Shared: in, FetchWithoutRedis: m.random.IntN(3) == 0})
		m.instances[i] = in
	}
	return m
}

func (m *model) run() {
	var all sync.WaitGroup
	for range 14 {
		all.Go(func() { m.pass(300); m.read(m.pick(3), m.pick(2)) })
	}
	for range 6 {
		all.Go(func() { m.pass(300); m.write(m.pick(3), m.pick(2)) })
	}
	m.faults = m.pick(5)
	for range m.faults {
		all.Go(func() { m.pass(300); m.fault() })
	}
	all.Wait()
	m.checkDead()
	for _, in := range m.instances {
		in.cache.Close()
	}
}

func (m *model) pick(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.random.IntN(n)
}

// pass lets up to so many milliseconds pass, mostly far fewer.
func (m *model) pass(ms int) {
	if m.pick(3) > 0 {
		ms = ms/10 + 1
	}
	time.Sleep(time.Duration(m.pick(ms * 1_000_000)))
}

// fault is a fault that ends.
func (m *model) fault() {
	in := m.instances[m.pick(3)]
	back := m.pick(4)
	switch m.pick(5) {
	case 0:
		m.locked(func() { in.cut = true })
		m.pass(200)
		m.locked(func() { in.cut = false })
	case 1:
		m.locked(func() { m.down = true })
		m.pass(200)
		m.locked(func() { m.down = false })
	case 2:
		m.locked(func() { m.saved = m.redis.copy() })
	case 3: // with what was saved
		m.locked(func() {
			m.Lost += max(0, len(m.redis.log)-len(m.saved.log))
			m.redis = m.saved.copy()
			m.epoch++
			m.starts = time.Now().Add(10 * time.Millisecond) // by then all answers of before have arrived
		})
	case 4: // the clock goes back or forth
		m.locked(func() { m.ahead = time.Duration(back) * 50 * time.Millisecond })
	}
}

func (m *model) locked(do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	do()
}

func (m *model) read(i, page int) {
	c := m.instances[i].cache
	var shared, own int64
	m.locked(func() { shared, own = m.shared[page], m.own[page][i] })
	known := c.ReadLog()
	var downs, later int
	m.locked(func() { downs = m.instances[i].downs })
	m.pass(3)
	got, err := c.Serve(context.Background(), known, fmt.Sprint(page), func(context.Context, Reason) (Fetched, error) {
		m.pass(10)
		var body []byte
		m.locked(func() { body = strconv.AppendInt(nil, m.versions[page], 10) })
		m.pass(50)
		e := &Entry{Status: 200, Body: body, Tags: []string{fmt.Sprint("page ", page)}, Life: long}
		return Fetched{Entry: e, Store: true, Share: true}, nil
	})
	if err != nil {
		m.Errorf("page %d at %d: %v", page, i, err)
		return
	}
	version, _ := strconv.ParseInt(string(got.Entry.Body), 10, 64)
	m.locked(func() {
		m.Reads++
		if got.How == Hit {
			m.Hits++
		}
		later = m.instances[i].downs
		if !known {
			m.Unknown++
			if later == downs {
				m.Direct++
			}
		}
	})
	if version < own || (known || c.options.FetchWithoutRedis || later == downs) && version < shared {
		m.Errorf("seed %d: page %d at %d: version %d after %d, its own of %d (%s, log known %v)",
			m.seed, page, i, version, shared, own, got.How, known)
	}
}

func (m *model) write(i, page int) {
	c := m.instances[i].cache
	tags := []string{fmt.Sprint("page ", page)}
	announced := c.Unannounced(tags)
	if m.pick(3) == 0 {
		announced = c.Announce(context.Background(), tags)
	}
	m.pass(10)
	var now int64
	m.locked(func() { m.versions[page]++; now = m.versions[page] })
	if announced.id != "" && m.pick(4) == 0 { // this write has no end
		m.locked(func() { m.died[page] = max(m.died[page], now) })
		return
	}
	m.pass(10)
	shared := announced.Purge(context.Background(), Purge{Tags: tags})
	m.locked(func() {
		m.own[page][i] = max(m.own[page][i], now)
		if !shared {
			m.Untaken++
			return
		}
		m.InLog++
		m.shared[page] = max(m.shared[page], now)
	})
}

// checkDead reads the pages everywhere a second after all writes. All announcements are in the log if Redis has
// always answered.
func (m *model) checkDead() {
	if m.faults > 0 || m.Untaken > 0 {
		return
	}
	for range 2 { // before and after the pending writes expire
		time.Sleep(servedFor + time.Millisecond)
		for i := range m.instances {
			for page, died := range m.died {
				if died > 0 {
					m.shared[page] = max(m.shared[page], died)
					m.Died++
				}
				m.read(i, page)
			}
		}
		time.Sleep(m.instances[0].cache.options.WriteExpiry)
	}
}

// call is a call to Redis, whose request and answer take a while.
func (in *instance) call(do func()) (err error) {
	in.pass(3)
	in.locked(func() {
		if in.away() {
			if err = errAway; in.failing.IsZero() {
				in.failing = time.Now()
			}
			return
		}
		in.failing = time.Time{}
		do()
	})
	in.pass(3)
	return err
}

// away reports whether Redis does not answer; m.mu is locked.
func (in *instance) away() bool { return in.down || in.cut || time.Now().Before(in.starts) }

// append appends to the log, behind what the instance knows; m.mu is locked.
func (in *instance) append(record []byte, after redisstore.Position) redisstore.Position {
	now := redisstore.Position(time.Now().Add(in.ahead).UnixMilli()) << 16 // #nosec G115 -- it is after 1970
	at := max(now, in.redis.last()+1, after+1)
	in.redis.log = append(in.redis.log, item{at: at, record: record})
	return at
}

func (in *instance) Follow(f redisstore.Follower) { in.follower = f }

// ReadLog reads the log. After a restart everything is distrusted.
func (in *instance) ReadLog() error {
	in.reading <- struct{}{}
	defer func() { <-in.reading }()
	in.pass(2)
	err := in.follower.Flush(func(records [][]byte) (positions []redisstore.Position, err error) {
		in.locked(func() {
			if err = errAway; !in.away() {
				err = nil
				for _, record := range records {
					positions = append(positions, in.append(record, in.follower.Position()))
				}
			}
		})
		return positions, err
	})
	if err != nil {
		return err
	}
	var news []item
	distrust := redisstore.Position(0)
	err = in.call(func() {
		if in.epoch != in.model.epoch {
			in.epoch = in.model.epoch
			distrust = in.append(nil, max(in.cursor, in.follower.Position()))
			news = in.redis.log
			return
		}
		for _, i := range in.redis.log {
			if i.at > in.cursor {
				news = append(news, i)
			}
		}
	})
	if err != nil {
		return err
	}
	if distrust > 0 {
		in.follower.Distrust(distrust)
	}
	for _, i := range news {
		if in.cursor = i.at; i.record == nil {
			in.follower.Distrust(i.at)
		} else {
			in.follower.Apply(i.at, i.record)
		}
	}
	in.follower.Reached(in.cursor)
	in.locked(func() { in.known = fmt.Sprint(in.epoch) })
	return nil
}

// Append appends a record, or does so and fails.
func (in *instance) Append(_ context.Context, record []byte) (at redisstore.Position, err error) {
	after := in.follower.Position()
	lost := in.pick(10) == 0
	err = in.call(func() { at = in.append(record, after) })
	if lost {
		return 0, errAway
	}
	return at, err
}

// Up reports that Redis is down after 20 ms without a successful call.
func (in *instance) Up() (up bool) {
	in.locked(func() {
		up = in.failing.IsZero() || time.Since(in.failing) < 20*time.Millisecond
		if !up {
			in.downs++
		}
	})
	return up
}

func (in *instance) Now() (now time.Time) {
	in.locked(func() { now = time.Now().Add(in.ahead) })
	return now
}

// Find reads an entry. Another instance has the lease now and then, so that this one waits.
func (in *instance) Find(_ context.Context, key string, _ time.Duration) (f redisstore.Found, err error) {
	f.Held = in.pick(3) == 0
	in.locked(func() { f.Epoch = in.known })
	err = in.call(func() {
		if f.Data = in.redis.entries[key]; f.Data != nil {
			in.Shared++
		}
	})
	return f, err
}

func (in *instance) Put(_ context.Context, key string, data []byte, _ time.Duration) {
	_ = in.call(func() { in.redis.entries[key] = data })
}

func (in *instance) Wait(context.Context, string) error {
	in.pass(50)
	return nil
}

// serve reads page 0 at the instance. A fetch gets the version of its beginning, and calls during before it ends.
func (in *instance) serve(t *testing.T, during func()) string {
	t.Helper()
	got, err := in.cache.Serve(t.Context(), in.cache.ReadLog(), "page", func(context.Context, Reason) (Fetched, error) {
		e := &Entry{Status: 200, Body: strconv.AppendInt(nil, in.versions[0], 10), Tags: []string{"page 0"}, Life: long}
		during()
		return Fetched{Entry: e, Store: true, Share: true}, nil
	})
	must(t, err)
	time.Sleep(time.Second) // it is stored
	return string(got.Entry.Body)
}

// inOrder calls test with a model that does nothing by itself, and three instances that have read the log.
func inOrder(t *testing.T, test func(t *testing.T, m *model, a, b, c *instance)) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t, 0)
		for _, in := range m.instances {
			defer in.cache.Close()
			in.cache.options.FetchWithoutRedis = false
			in.cache.ReadLog()
		}
		test(t, m, m.instances[0], m.instances[1], m.instances[2])
	})
}

// TestFetchAcrossLostLog: Redis comes back with an empty log and an earlier clock while an instance
// fetches. It stores the response with a position in the lost log, which is later than the position of the next purge.
func TestFetchAcrossLostLog(t *testing.T) {
	inOrder(t, func(t *testing.T, m *model, a, b, _ *instance) {
		m.ahead = time.Hour
		m.write(1, 1) // moves the position of b ahead
		b.serve(t, func() {
			m.redis = m.saved.copy()
			m.ahead = 0
			m.epoch++
		})
		m.write(0, 0)
		if got := a.serve(t, func() {}); got != "1" {
			t.Errorf("version %s after the own write of 1", got)
		}
	})
}

// TestOwnPositions: while the clock of Redis is earlier than its log, the next purge there gets the position that
// an instance has assigned to a purge of its own.
func TestOwnPositions(t *testing.T) {
	backwards := func(m *model) {
		m.ahead = time.Hour
		m.write(0, 1)
		m.ahead = 0
		for _, in := range m.instances {
			in.cache.ReadLog()
		}
	}
	t.Run("without Redis", func(t *testing.T) {
		inOrder(t, func(t *testing.T, m *model, a, _, _ *instance) {
			backwards(m)
			a.cut = true
			m.write(0, 1)
			a.serve(t, func() {})
			m.write(1, 0)
			a.cut = false
			if got := a.serve(t, func() {}); got != "1" {
				t.Errorf("version %s after 1", got)
			}
		})
	})
	t.Run("after a pending write", func(t *testing.T) {
		inOrder(t, func(t *testing.T, m *model, a, _, c *instance) {
			backwards(m)
			a.cache.log.apply(0, record{Purge: Purge{Tags: []string{"page 1"}}}, time.Time{}) // its time is over at a first
			a.serve(t, func() { m.write(2, 0) })
			if got := c.serve(t, func() {}); got != "1" {
				t.Errorf("version %s after the own write of 1", got)
			}
		})
	})
}
