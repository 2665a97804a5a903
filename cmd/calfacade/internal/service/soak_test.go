package service

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

var soakFor = flag.Duration("soak", 3*time.Second, "how long TestSoak lasts")

// TestSoak lets readers, writers, purges and reloads at one facade for a while,
// before a site and a Redis without faults. No client gets a 5xx, no client that
// has changed something reads the state before, and nothing grows.
func TestSoak(t *testing.T) {
	s := newSoak(t)
	s.run(*soakFor / 4) // until pools and caches have their sizes
	initial := measure()
	s.run(*soakFor * 3 / 4)
	final := measure()
	t.Logf("%d reads, %d writes, %d purges, %d reloads; before %+v, after %+v",
		s.reads.Load(), s.writes.Load(), s.purges.Load(), s.reloads.Load(), initial, final)
	for name, n := range map[string]*atomic.Int64{"read": &s.reads, "write": &s.writes, "purge": &s.purges, "reload": &s.reloads} {
		if n.Load() == 0 {
			t.Errorf("there was no %s", name)
		}
	}
	// Connections and refreshes that end of themselves come and go.
	processtest.Eventually(t, fmt.Sprintf("%d goroutines become no more than 50 more", initial.goroutines), func() bool {
		return runtime.NumGoroutine() <= initial.goroutines+50
	})
	if limit := initial.heap*3/2 + 32<<20; final.heap > limit {
		t.Errorf("memory grows: %d bytes, then %d", initial.heap, final.heap)
	}
}

// size has the figures that must not grow.
type size struct {
	goroutines int
	heap       uint64
}

func measure() size {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return size{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
}

type soak struct {
	*testing.T
	service *Service
	base    string // URL of the namespace
	client  *http.Client
	events  []int // one of each writer

	reads, writes, purges, reloads atomic.Int64
}

const soakWriters, soakReaders = 4, 8

func newSoak(t *testing.T) *soak {
	s := &soak{T: t, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	t.Cleanup(s.client.CloseIdleConnections)
	server := httptest.NewUnstartedServer(nil)
	c := config.Demo("http://"+server.Listener.Addr().String(), processtest.Serve(t, sim.New(sim.Options{})))
	c.Cache.Memory = 4 << 20
	c.Cache.TTL["events"] = time.Second // so that some is always stale
	if _, url := processtest.StartRedis(t); url != "" {
		c.Cache.Redis = config.Secrets{config.NewSecret(url)}
		c.Cache.RedisTimeout = 5 * time.Second
	}
	var loads atomic.Int64
	load := func() (config.Config, error) {
		next := c
		next.Cache.StaleIfError += time.Duration(loads.Add(1)) * time.Second
		return next, nil
	}
	var err error
	if s.service, err = New(c, Options{Log: zap.NewNop(), Metrics: telemetry.NewMetrics(""), Load: load}); err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = http.HandlerFunc(s.service.Public)
	server.Start()
	t.Cleanup(func() {
		server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), processtest.Patience) // the context of the test has ended
		defer cancel()
		if err := s.service.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	s.base = c.PublicURL + "/wp-json/" + mapping.Namespace
	for n := range soakWriters {
		s.events = append(s.events, s.create(n))
	}
	return s
}

func (s *soak) create(n int) int {
	_, body := s.send(http.MethodPost, "/events",
		fmt.Sprintf(`{"title":"Soak %d, 0","start_date":"2027-01-01 10:00:00","end_date":"2027-01-01 12:00:00"}`, n))
	var created struct{ ID int }
	if err := json.Unmarshal(body, &created); err != nil || created.ID == 0 {
		s.Fatalf("create: %v %s", err, body)
	}
	return created.ID
}

// run has all at it for d, and each at least once.
func (s *soak) run(d time.Duration) {
	ctx, cancel := context.WithTimeout(s.Context(), d)
	defer cancel()
	var group sync.WaitGroup
	again := func(f func()) {
		group.Go(func() {
			for f(); ctx.Err() == nil; f() {
			}
		})
	}
	for n := range soakWriters {
		again(func() { s.write(n) })
	}
	for range soakReaders {
		again(s.readRandom)
	}
	pace := time.NewTicker(100 * time.Millisecond)
	defer pace.Stop()
	group.Go(func() {
		for ctx.Err() == nil || s.reloads.Load() == 0 {
			<-pace.C
			s.disturb()
		}
	})
	group.Wait()
}

// write changes the writer's event and reads it in two ways: a read shows what
// was written.
func (s *soak) write(n int) {
	title := fmt.Sprintf("Soak %d, %d", n, s.writes.Add(1))
	path := fmt.Sprintf("/events/%d", s.events[n])
	if status, body := s.send(http.MethodPost, path, fmt.Sprintf(`{"title":%q}`, title)); status != http.StatusOK {
		s.Errorf("write: %d %s", status, body)
	}
	for _, target := range []string{path, fmt.Sprintf("/events?include=%d", s.events[n])} {
		if _, body := s.send(http.MethodGet, target, ""); !strings.Contains(string(body), `"title":"`+title+`"`) {
			s.Errorf("GET %s after %q was written: %.300s", target, title, body)
		}
	}
}

// soakReads are read with any number for %d.
var soakReads = []string{
	"/events?per_page=%d", "/events?page=%d", "/events/%d", "/venues?per_page=%d", "/organizers?search=%d",
	"/categories?page=%d", "/tags?per_page=%d", "/events?search=%d&start_date=2020-01-01", "/venues/%d", "/doc?n=%d",
}

func (s *soak) readRandom() {
	path := fmt.Sprintf(soakReads[rand.N(len(soakReads))], 1+rand.N(200))
	if status, body := s.send(http.MethodGet, path, ""); status >= http.StatusInternalServerError {
		s.Errorf("GET %s: %d %s", path, status, body)
	}
	s.reads.Add(1)
}

// disturb purges all, or reloads.
func (s *soak) disturb() {
	if n := s.purges.Add(1); n%5 != 0 {
		g := s.service.acquire()
		defer g.requests.RUnlock()
		g.store.cache.Purge(s.Context(), cache.Purge{All: true, Soft: n%2 == 0})
		return
	}
	if err := s.service.Reload(); err != nil {
		s.Error(err)
	}
	s.reloads.Add(1)
}

func (s *soak) send(method, path, body string) (status int, answer []byte) {
	r, err := http.NewRequestWithContext(s.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.Error(err)
		return 0, nil
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
		r.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
	}
	res, err := s.client.Do(r)
	if err != nil {
		s.Errorf("%s %s: %v", method, path, err)
		return 0, nil
	}
	defer res.Body.Close()
	if answer, err = io.ReadAll(res.Body); err != nil {
		s.Errorf("%s %s: %v", method, path, err)
	}
	return res.StatusCode, answer
}
