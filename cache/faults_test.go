package cache

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// TestNeverStaleUnderFaults lets readers and writers at three instances, while Redis and the ways to
// it fail in all manners: each topology for 5 s, or for as long as the variable CALFACADE_FAULTS says
// ("10m"). CALFACADE_FAULTS_RTT ("60ms") is the round trip to Redis without a fault. CALFACADE_SEED repeats the order of
// the faults of a run, which its log names.
//
// A read that began after a write was answered gets no older version, if the purge was shared, unless Redis
// counted as down and the instance serves then. An instance always shows its own writes.
func TestNeverStaleUnderFaults(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(*testing.T, *faults) (urls []string)
	}{
		{
			name:  "cluster",
			start: onCluster,
		}, {name: "sentinel", start: onSentinel}, {name: "single", start: onServer},
	} {
		t.Run(test.name, func(t *testing.T) {
			if os.Getenv("CALFACADE_FAULTS") == "" {
				t.Parallel()
			}
			length, err := time.ParseDuration(cmp.Or(os.Getenv("CALFACADE_FAULTS"), "5s"))
			must(t, err)
			seed := rand.Uint64()
			text := os.Getenv("CALFACADE_SEED")
			if text != "" {
				seed, err = strconv.ParseUint(text, 10, 64)
				must(t, err)
			}
			t.Logf("CALFACADE_SEED=%d", seed)
			f := &faults{
				T: t, random: rand.New(rand.NewPCG(seed, 0)), counts: map[string]int{}, returns: map[string]time.Duration{},
			}
			f.roundTrip, err = time.ParseDuration(cmp.Or(os.Getenv("CALFACADE_FAULTS_RTT"), "0"))
			must(t, err)
			for i := range f.lines {
				f.lines[i] = redistest.NewDistance(t, f.roundTrip)
			}
			f.run(test.start(t, f), length)
		})
	}
}

// faults are three instances, their clients, and the faults that these meet.
type faults struct {
	*testing.T
	random  *rand.Rand // of the faults
	kinds   []fault
	counts  map[string]int           // of faults
	returns map[string]time.Duration // the longest time after a fault until Redis is up everywhere

	prefix    string
	instances [3]*Cache
	lines     [3]*redistest.Distance // to Redis
	roundTrip time.Duration          // of the lines
	skew      [3]atomic.Int64        // of the clock of Redis, in nanoseconds

	pages [12]page
	// blind is until when an instance may not see the writes of another one, in nanoseconds since 1970: a
	// change that breaks no connection shows in the next check. See the package redisstore.
	blind atomic.Int64

	reads, current, hits, writes, shared, old, stale atomic.Int64
}

// fault happens, and is over when do returns.
type fault struct {
	name string
	do   func()
}

// page is a page of the source, with the versions that reads may not go behind.
type page struct {
	version atomic.Int64
	shared  atomic.Int64    // each instance knows it
	writers [3]atomic.Int64 // the instance wrote it
}

// raise sets v to at least n.
func raise(v *atomic.Int64, n int64) {
	for now := v.Load(); now < n && !v.CompareAndSwap(now, n); now = v.Load() {
	}
}

func (f *faults) run(urls []string, length time.Duration) {
	f.prefix = redistest.FreshPrefix()
	for i := range f.instances {
		shared := open(f, redisstore.Options{ // with the default times
			URLs: urls, Dial: f.lines[i].Dial, Prefix: f.prefix, LogLength: 200,
			Skew: func() time.Duration { return time.Duration(f.skew[i].Load()) },
		})
		f.instances[i] = start(f, Options{Shared: shared, FetchWithoutRedis: i == 2, Slow: 50 * time.Millisecond})
	}
	ctx, stop := context.WithTimeout(f.Context(), length)
	defer stop()
	var clients sync.WaitGroup
	for i, c := range f.instances {
		for n := range 3 {
			clients.Go(func() { f.client(ctx, 1+n, func(r *rand.Rand) { f.readPage(r, i, c) }) })
		}
		clients.Go(func() { f.client(ctx, 10, func(r *rand.Rand) { f.write(r, i, c) }) })
	}
	for pause(ctx, f.within(700)) {
		kind := f.kinds[f.random.IntN(len(f.kinds))]
		kind.do()
		f.counts[kind.name]++
		f.returns[kind.name] = max(f.returns[kind.name], f.untilUp(ctx))
	}
	clients.Wait()
	for _, c := range f.instances {
		eventually(f, "Redis serves again", c.shows)
	}
	if f.current.Load() == 0 || f.hits.Load() == 0 || f.shared.Load() == 0 {
		f.Error("no reads that know the log, no hits, or no purges that were shared")
	}
	f.Logf("%d reads, %d know the log, %d hits; %d writes, %d of them shared; %d old reads, %d of own writes; faults %v; "+
		"up again after at most %v",
		f.reads.Load(), f.current.Load(), f.hits.Load(), f.writes.Load(), f.shared.Load(), f.old.Load(), f.stale.Load(), f.counts, f.returns)
}

// untilUp waits until Redis is up at all instances, and returns the time.
func (f *faults) untilUp(ctx context.Context) time.Duration {
	began := time.Now()
	for _, c := range f.instances {
		for !redisOf(c).Up() && pause(ctx, 5*time.Millisecond) {
		}
	}
	return time.Since(began).Round(time.Millisecond)
}

func (f *faults) within(ms int) time.Duration {
	return time.Duration(f.random.IntN(ms)) * time.Millisecond
}

// pause waits for d; false: until ctx was done.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// client repeats do, with pauses of up to so many milliseconds.
func (f *faults) client(ctx context.Context, ms int, do func(*rand.Rand)) {
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for pause(ctx, time.Duration(r.IntN(2*ms))*time.Millisecond) {
		do(r)
	}
}

// readPage reads a page at an instance. A response takes a while to arrive.
func (f *faults) readPage(r *rand.Rand, i int, c *Cache) {
	n := r.IntN(len(f.pages))
	p := &f.pages[n]
	life := Life{Fresh: time.Minute, StaleWhileRevalidate: time.Minute, StaleIfError: time.Hour}
	if r.IntN(3) == 0 {
		life.Fresh = 100 * time.Millisecond
	}
	late := time.Duration(r.IntN(5)) * time.Millisecond
	began := time.Now().UnixNano()
	shared := p.shared.Load()
	newest := p.writers[i].Load()
	trips := redisOf(c).Stats().Trips
	down := !redisOf(c).Up()
	current := c.ReadLog()
	got, err := c.Serve(f.Context(), current, fmt.Sprint(n), func(ctx context.Context, _ Reason) (Fetched, error) {
		body := fmt.Append(nil, p.version.Load())
		pause(ctx, late)
		return Fetched{Entry: &Entry{Status: 200, Body: body, Tags: []string{fmt.Sprint("page ", n)}, Life: life}, Store: true,
			Share: true}, nil
	})
	if err != nil {
		f.Errorf("page %d at %d: %v", n, i, err)
		return
	}
	version, err := strconv.ParseInt(string(got.Entry.Body), 10, 64)
	must(f, err)
	down = down || redisOf(c).Stats().Trips != trips
	f.reads.Add(1)
	if current {
		f.current.Add(1)
	}
	if got.How == Hit {
		f.hits.Add(1)
	}
	if version < newest {
		f.stale.Add(1)
		f.Errorf("page %d at %d: version %d after its own write of %d (%s, log known %v)", n, i, version, newest, got.How, current)
	} else if (current || c.options.FetchWithoutRedis || !down) && version < shared && began >= f.blind.Load() {
		f.old.Add(1)
		f.Errorf("page %d at %d: version %d after the write of %d (%s, age %s, log known %v)", n, i, version, shared, got.How, got.Age, current)
	}
}

// write writes a page through an instance.
func (f *faults) write(r *rand.Rand, i int, c *Cache) {
	n := r.IntN(len(f.pages))
	p := &f.pages[n]
	tags := []string{fmt.Sprint("page ", n)}
	var announced *Announcement
	if r.IntN(3) == 0 {
		announced = c.Announce(f.Context(), tags)
	} else {
		announced = c.Unannounced(tags)
	}
	now := p.version.Add(1)
	shared := announced.Purge(f.Context(), Purge{Tags: tags, From: FromWrite})
	raise(&p.writers[i], now)
	f.writes.Add(1)
	if shared {
		f.shared.Add(1)
	}
	if shared || c.options.Pending.Len() == 0 { // else the others know it later
		raise(&p.shared, now)
	}
}

// unseen makes a change that breaks no connection.
func (f *faults) unseen(do func()) {
	f.blind.Store(1 << 62)
	do()
	f.blind.Store(time.Now().Add(500 * time.Millisecond).UnixNano())
}

// everywhere runs a command at each server, whatever it answers. Its connection may have been killed.
func everywhere(servers []*redistest.Server, command ...any) {
	for _, s := range servers {
		for again := 3; again > 0 && s.Admin.Do(context.Background(), command...).Err() != nil; again-- {
		}
	}
}

// common are the faults of all topologies.
func (f *faults) common(servers func() []*redistest.Server) []fault {
	pick := func() *redistest.Server { list := servers(); return list[f.random.IntN(len(list))] }
	do := func(command ...any) { everywhere(servers(), command...) }
	return []fault{
		{name: "pause", do: func() {
			s := pick()
			s.Freeze()
			pause(f.Context(), 60*time.Millisecond+f.within(840))
			s.Resume()
		}},
		{name: "full", do: func() {
			do("CONFIG", "SET", "maxmemory", "1")
			pause(f.Context(), f.within(1500))
			do("CONFIG", "SET", "maxmemory", "0")
		}},
		{name: "flush", do: func() { f.unseen(func() { do("FLUSHALL") }) }},
		{name: "connections", do: func() { do("CLIENT", "KILL", "TYPE", "normal") }},
		{name: "clock", do: func() {
			// All instances read one clock, each after another time.
			for i := range f.skew {
				f.skew[i].Store(int64(time.Duration(f.random.IntN(120)-60) * time.Second))
			}
		}},
		{name: "log ahead", do: func() {
			// As a clock that is set back leaves it.
			id := fmt.Sprint(time.Now().Add(f.within(1500)).UnixMilli(), "-1")
			do("XADD", f.prefix+":log", id, "r", string(record{Version: recordVersion, Purge: Purge{Tags: []string{"other"}}}.encode()))
		}},
	}
}

func onServer(t *testing.T, f *faults) (urls []string) {
	s := redistest.StartServer(t)
	f.kinds = append(f.common(func() []*redistest.Server { return []*redistest.Server{s} }),
		fault{name: "kill", do: func() {
			s.Kill()
			pause(t.Context(), f.within(2000))
			s.Start()
		}},
		fault{
			name: "snapshot",
			do:   func() { everywhere([]*redistest.Server{s}, "SAVE") },
		}, // with which the next start begins
		fault{name: "partition", do: func() {
			line := f.lines[f.random.IntN(3)]
			line.Cut(true)
			pause(t.Context(), f.within(3000))
			line.Cut(false)
		}},
		fault{name: "slow", do: func() {
			line := f.lines[f.random.IntN(3)]
			line.Set(f.roundTrip + 2*f.within(400))
			pause(t.Context(), f.within(1500))
			line.Set(f.roundTrip)
		}})
	return []string{s.URL()}
}

func onCluster(t *testing.T, f *faults) (urls []string) {
	run := redistest.StartCluster(t)
	f.kinds = append(f.common(func() []*redistest.Server { return run.Masters }), fault{
		name: "kill",
		do: func() {
			s := run.Masters[f.random.IntN(3)]
			s.Kill()
			pause(t.Context(), f.within(2000))
			s.Start()
		},
	})
	return run.URLs
}

func onSentinel(t *testing.T, f *faults) (urls []string) {
	s := redistest.StartSentinel(t)
	f.kinds = append(f.common(func() []*redistest.Server { return []*redistest.Server{s.Master} }), fault{
		name: "failover",
		do: func() {
			s.Master.Kill()
			s.Await(t)
			s.Return(t)
		},
	})
	return s.URLs()
}
