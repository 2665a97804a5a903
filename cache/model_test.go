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
// its own writes. A write of an instance that dies before its purge, after an announcement that the log has, shows
// everywhere a second later.
func TestNeverStaleAnywhere(t *testing.T) {
	t.Parallel()
	var total outcomes
	for seed := range uint64(orders) {
		synctest.Test(t, func(t *testing.T) {
			m := newModel(t, seed)
			m.run()
			total.add(m.outcomes)
		})
	}
	t.Logf("%+v", total)
	if total.Hits == 0 || total.Views == 0 || total.Shared == 0 || total.InLog == 0 || total.Untaken == 0 || total.Unknown == 0 ||
		total.Direct == 0 || total.Lost == 0 || total.Died == 0 {
		t.Errorf("one of the paths was not tested: %+v", total)
	}
}

// outcomes count the events of a run.
type outcomes struct {
	Reads, Unknown int // all; those after a failed log read
	Direct         int // of these, those while Redis did not count as down
	Views          int // views that were stored
	Hits, Shared   int // from memory or Redis; entries of Redis that were found
	InLog, Untaken int // writes
	Lost           int // records of the log that a restart lost
	Died           int // writers between the write and its purge, which a later read checked
}

func (o *outcomes) add(p outcomes) {
	o.Reads = o.Reads + p.Reads
	o.Unknown = o.Unknown + p.Unknown
	o.Hits = o.Hits + p.Hits
	o.Views += p.Views
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

	redis, saved state // saved is the state that a restart goes back to
	epoch        int   // of the memory of Redis
	ahead        time.Duration
	down         bool
	starts       time.Time // until when Redis does not answer after a restart

	instances [3]*instance
	faults    int
	versions  [2]int64    // of the pages at the source
	shared    [2]int64    // that each instance knows
	written   [2][3]int64 // that the instance wrote
	died      [2]int64    // of a writer that died
}

// state is the content of Redis.
type state struct {
	log     []item
	entries map[string][]byte
}

type item struct {
	position redisstore.Position
	record   []byte // nil: a mark
}

func (s state) copy() state {
	return state{log: s.log[:len(s.log):len(s.log)], entries: maps.Clone(s.entries)}
}

func (s state) last() redisstore.Position {
	if len(s.log) == 0 {
		return 0
	}
	return s.log[len(s.log)-1].position
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

	epoch     int
	confirmed string // the epoch of the last log read that succeeded
	cursor    redisstore.Position
}

var errAway = errors.New("the model of Redis does not answer")

func newModel(t *testing.T, seed uint64) *model {
	m := &model{T: t, seed: seed, random: rand.New(rand.NewPCG(seed, 0)), epoch: 1}
	m.redis.entries = map[string][]byte{}
	m.saved.entries = map[string][]byte{}
	for i := range m.instances {
		instance := &instance{model: m, reading: make(chan struct{}, 1)}
		instance.cache = New(Options{Shared: instance, FetchWithoutRedis: m.random.IntN(3) == 0})
		m.instances[i] = instance
	}
	return m
}

func (m *model) run() {
	var group sync.WaitGroup
	for range 14 {
		group.Go(func() { m.pass(300); m.readPage(m.pick(3), m.pick(2)) })
	}
	for range 6 {
		group.Go(func() { m.pass(300); m.write(m.pick(3), m.pick(2)) })
	}
	m.faults = m.pick(5)
	for range m.faults {
		group.Go(func() { m.pass(300); m.fault() })
	}
	group.Wait()
	m.checkDead()
	for _, instance := range m.instances {
		instance.cache.Close()
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
	instance := m.instances[m.pick(3)]
	back := m.pick(4)
	switch m.pick(5) {
	case 0:
		m.locked(func() { instance.cut = true })
		m.pass(200)
		m.locked(func() { instance.cut = false })
	case 1:
		m.locked(func() { m.down = true })
		m.pass(200)
		m.locked(func() { m.down = false })
	case 2:
		m.locked(func() { m.saved = m.redis.copy() })
	case 3: // with the saved data
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

func (m *model) readPage(i, page int) {
	c := m.instances[i].cache
	var shared, newest int64
	m.locked(func() { shared, newest = m.shared[page], m.written[page][i] })
	current := c.ReadLog()
	var downs, later int
	m.locked(func() { downs = m.instances[i].downs })
	m.pass(3)
	serve := c.Serve
	if m.pick(2) == 0 {
		serve = m.view(c)
	}
	got, err := serve(context.Background(), current, fmt.Sprint(page), func(context.Context, Reason) (Fetched, error) {
		m.pass(10)
		var body []byte
		m.locked(func() { body = strconv.AppendInt(nil, m.versions[page], 10) })
		m.pass(50)
		e := &Entry{Status: 200, ETag: string(body), Body: body, Tags: []string{fmt.Sprint("page ", page)}, Life: long}
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
		if !current {
			m.Unknown++
			if later == downs {
				m.Direct++
			}
		}
	})
	if version < newest || (current || c.options.FetchWithoutRedis || later == downs) && version < shared {
		m.Errorf("seed %d: page %d at %d: version %d after %d, its own of %d (%s, log known %v)",
			m.seed, page, i, version, shared, newest, got.How, current)
	}
}

// view returns a [Cache.Serve] that serves a view of the page, as package proxy does.
func (m *model) view(c *Cache) func(context.Context, bool, string, Fetch) (Result, error) {
	return func(ctx context.Context, current bool, key string, fetch Fetch) (Result, error) {
		if r, ok := c.Fresh(current, "view "+key); ok {
			m.locked(func() { m.Views++ })
			return r, nil
		}
		whole, err := c.Serve(ctx, current, key, fetch)
		if err != nil {
			return whole, err
		}
		return c.Derive("view "+key, whole, func(e *Entry) (*Entry, error) {
			m.pass(5)
			return &Entry{Status: e.Status, ETag: e.ETag, Body: e.Body}, nil
		})
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
		m.written[page][i] = max(m.written[page][i], now)
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
				m.readPage(i, page)
			}
		}
		time.Sleep(m.instances[0].cache.options.WriteExpiry)
	}
}

// call is a call to Redis, whose request and answer take a while.
func (i *instance) call(do func()) (err error) {
	i.pass(3)
	i.locked(func() {
		if i.away() {
			if err = errAway; i.failing.IsZero() {
				i.failing = time.Now()
			}
			return
		}
		i.failing = time.Time{}
		do()
	})
	i.pass(3)
	return err
}

// away reports whether Redis does not answer; m.mu is locked.
func (i *instance) away() bool { return i.down || i.cut || time.Now().Before(i.starts) }

// append appends to the log, behind the records that the instance knows; m.mu is locked.
func (i *instance) append(record []byte, minimum redisstore.Position) redisstore.Position {
	now := redisstore.Position(time.Now().Add(i.ahead).UnixMilli()) << 16 // #nosec G115 -- it is after 1970
	position := max(now, i.redis.last()+1, minimum+1)
	i.redis.log = append(i.redis.log, item{position: position, record: record})
	return position
}

func (i *instance) Follow(f redisstore.Follower) { i.follower = f }

// ReadLog reads the log. After a restart everything is distrusted.
func (i *instance) ReadLog() error {
	i.reading <- struct{}{}
	defer func() { <-i.reading }()
	i.pass(2)
	err := i.follower.Flush(func(records [][]byte) (positions []redisstore.Position, err error) {
		i.locked(func() {
			if err = errAway; !i.away() {
				err = nil
				for _, record := range records {
					positions = append(positions, i.append(record, i.follower.Position()))
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
	err = i.call(func() {
		if i.epoch != i.model.epoch {
			i.epoch = i.model.epoch
			distrust = i.append(nil, max(i.cursor, i.follower.Position()))
			news = i.redis.log
			return
		}
		for _, entry := range i.redis.log {
			if entry.position > i.cursor {
				news = append(news, entry)
			}
		}
	})
	if err != nil {
		return err
	}
	if distrust > 0 {
		i.follower.Distrust(distrust)
	}
	for _, entry := range news {
		i.cursor = entry.position
		if entry.record == nil {
			i.follower.Distrust(entry.position)
		} else {
			i.follower.Apply(entry.position, entry.record)
		}
	}
	i.follower.Reached(i.cursor)
	i.locked(func() { i.confirmed = fmt.Sprint(i.epoch) })
	return nil
}

// Append appends a record, or does so and fails.
func (i *instance) Append(_ context.Context, record []byte) (position redisstore.Position, err error) {
	reached := i.follower.Position()
	fails := i.pick(10) == 0
	err = i.call(func() { position = i.append(record, reached) })
	if fails {
		return 0, errAway
	}
	return position, err
}

// Up reports that Redis is down after 20 ms without a successful call.
func (i *instance) Up() (up bool) {
	i.locked(func() {
		up = i.failing.IsZero() || time.Since(i.failing) < 20*time.Millisecond
		if !up {
			i.downs++
		}
	})
	return up
}

func (i *instance) Now() (now time.Time) {
	i.locked(func() { now = time.Now().Add(i.ahead) })
	return now
}

// Find reads an entry. Another instance has the lease now and then, so that this one waits.
func (i *instance) Find(_ context.Context, key string, _ time.Duration) (f redisstore.Found, err error) {
	f.Held = i.pick(3) == 0
	i.locked(func() { f.Epoch = i.confirmed })
	err = i.call(func() {
		f.Data = i.redis.entries[key]
		if f.Data != nil {
			i.Shared++
		}
	})
	return f, err
}

func (i *instance) Put(_ context.Context, key string, data []byte, _ time.Duration) {
	_ = i.call(func() { i.redis.entries[key] = data })
}

func (i *instance) Wait(context.Context, string) error {
	i.pass(50)
	return nil
}

// serve reads page 0 at the instance. A fetch gets the version of its beginning, and calls during before it ends.
func (i *instance) serve(t *testing.T, during func()) string {
	t.Helper()
	got, err := i.cache.Serve(t.Context(), i.cache.ReadLog(), "page", func(context.Context, Reason) (Fetched, error) {
		e := &Entry{Status: 200, Body: strconv.AppendInt(nil, i.versions[0], 10), Tags: []string{"page 0"}, Life: long}
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
		for _, instance := range m.instances {
			defer instance.cache.Close()
			instance.cache.options.FetchWithoutRedis = false
			instance.cache.ReadLog()
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
		for _, instance := range m.instances {
			instance.cache.ReadLog()
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
