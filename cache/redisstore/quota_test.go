package redisstore

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// testQuota: instances share one bucket for each client, and report the rest of it.
func testQuota(t *testing.T, o Options, _ redistest.Topology) {
	a := open(t, o)
	b := open(t, o)
	take := func(r *Store, key string) Allowance {
		t.Helper()
		got, err := r.Take(background, key, time.Hour, 3)
		must(t, err)
		return got
	}
	for i, r := range []*Store{a, b, a} {
		got := take(r, "ann")
		if want := 2 - i; got.Left != want || got.Wait != 0 {
			t.Errorf("request %d: %+v, want %d left", i+1, got, want)
		}
		if full := time.Duration(i+1) * time.Hour; got.Full > full || got.Full < full-time.Minute {
			t.Errorf("request %d: full in %v, want %v", i+1, got.Full, full)
		}
	}
	for _, r := range []*Store{a, b} {
		got := take(r, "ann")
		if got.Left != 0 || got.Wait > time.Hour || got.Wait < time.Hour-time.Minute || got.Full > 3*time.Hour {
			t.Errorf("one too many: %+v", got)
		}
	}
	if got := take(b, "bob"); got.Left != 2 {
		t.Errorf("another client: %+v", got)
	}
}

// TestQuotaConcurrent: of concurrent requests exactly the quota is allowed.
func TestQuotaConcurrent(t *testing.T) {
	s := redistest.StartServer(t)
	o := Options{URLs: []string{s.URL()}, Prefix: redistest.FreshPrefix(), Brief: aLongTime}
	stores := []*Store{open(t, o), open(t, o)}
	var allowed atomic.Int32
	var requests sync.WaitGroup
	for i := range 8 {
		requests.Go(func() {
			for range 50 {
				got, err := stores[i%2].Take(background, "ann", time.Hour, 100)
				if err != nil {
					t.Error(err)
				}
				if got.Wait == 0 {
					allowed.Add(1)
				}
			}
		})
	}
	requests.Wait()
	if n := allowed.Load(); n != 100 {
		t.Errorf("%d were allowed, want 100", n)
	}
}

// TestQuotaRefills: a token returns after its interval, the key expires, and a clock that was
// set back refuses no client.
func TestQuotaRefills(t *testing.T) {
	s := redistest.StartServer(t)
	o := Options{URLs: []string{s.URL()}, Prefix: redistest.FreshPrefix(), Brief: aLongTime}
	r := open(t, o)
	take := func(interval time.Duration, burst int) Allowance {
		t.Helper()
		got, err := r.Take(background, "ann", interval, burst)
		must(t, err)
		return got
	}
	take(20*time.Millisecond, 1)
	eventually(t, "refilled", func() bool { return take(20*time.Millisecond, 1).Wait == 0 })
	eventually(t, "the key expires", func() bool { return s.Do("EXISTS", r.quotaKey("ann")).(int64) == 0 })

	s.Do("SET", r.quotaKey("ann"), "9000000000000000") // written with a clock two centuries ahead
	if got := take(time.Hour, 2); got.Wait > time.Hour || got.Full > 2*time.Hour {
		t.Errorf("%+v", got)
	}
}

// TestQuotaDown: a Redis that is dead or hangs causes an error within the budget, and then at
// once.
func TestQuotaDown(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]func(*redistest.Server){"dead": (*redistest.Server).Kill, "hung": (*redistest.Server).Freeze} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			r := open(t, Options{URLs: []string{s.URL()}, Prefix: redistest.FreshPrefix(), Brief: time.Second})
			eventually(t, "taken", func() bool { _, err := r.Take(background, "ann", time.Hour, 1); return err == nil })
			down(s)
			if _, err := r.Take(background, "ann", time.Hour, 1); err == nil {
				t.Error("a dead Redis allowed a request")
			}
			eventually(t, "it is down", func() bool { _ = r.ReadLog(); return !r.Up() })
			stats := r.Stats()
			for range 100 {
				if _, err := r.Take(background, "ann", time.Hour, 1); !errors.Is(err, ErrDown) {
					t.Fatalf("%v, want ErrDown", err)
				}
			}
			if now := r.Stats(); now.Skipped != stats.Skipped+100 || now.Timeouts != stats.Timeouts || now.Errors != stats.Errors {
				t.Errorf("stats were %+v, are %+v", stats, now)
			}
		})
	}
}

// TestForeignAllowance: a response of another length is an error. The quota is not known then.
func TestForeignAllowance(t *testing.T) {
	for _, numbers := range [][]int64{nil, {1}, {1, 0}, {1, 0, 2, 3}} {
		if got, err := allowanceOf(numbers); err == nil || got != (Allowance{}) {
			t.Errorf("%v: %+v, %v", numbers, got, err)
		}
	}
	want := Allowance{Left: 1, Full: 2 * time.Microsecond}
	if got, err := allowanceOf([]int64{1, 0, 2}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}
