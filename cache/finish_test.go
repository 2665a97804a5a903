package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// finisher completes entries, counts, and can be held up.
type finisher struct {
	n     atomic.Int32
	ctx   context.Context // of the test: with it all holding ends
	began chan struct{}
	hold  chan struct{} // nil: it does not wait
	gzip  []byte        // nil: it does not pay
}

func newFinisher(t *testing.T) *finisher {
	return &finisher{ctx: t.Context(), began: make(chan struct{}, 100), hold: make(chan struct{}), gzip: []byte("z")}
}

func (f *finisher) finish(e *Entry) *Entry {
	f.n.Add(1)
	f.began <- struct{}{}
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-f.ctx.Done():
		}
	}
	return e.WithGzip(f.gzip)
}

func (f *finisher) want(t *testing.T, n int32) {
	t.Helper()
	if got := f.n.Load(); got != n {
		t.Errorf("%d entries completed, want %d", got, n)
	}
}

// ask serves key and wants it complete, as a client that takes compression.
func ask(t *testing.T, c *Cache, key string, fetch Fetch) Result {
	t.Helper()
	r, err := c.Serve(t.Context(), key, fetch)
	if err != nil {
		t.Fatal(err)
	}
	c.Finish(t.Context(), key, r)
	return r
}

// testFinish: an entry that was fetched for somebody who wants it complete is so
// from then on.
func testFinish(t *testing.T, s site) {
	f := newFinisher(t)
	f.hold = nil
	c, _ := s.cache(t, Options{Finish: f.finish})
	var n atomic.Int32
	ask(t, c, "k", wanted(made(&n, "1", long)))
	s.settle(t, c)
	r := ask(t, c, "k", failing(&n))
	if string(r.Entry.Gzip) != "z" || string(r.Entry.Body) != "1" || !r.Entry.Complete {
		t.Errorf("got %+v", r.Entry)
	}
	if s.redis() && string(c.remote.get(t.Context(), "k").Gzip) != "z" {
		t.Error("in Redis it is not complete")
	}
	s.settle(t, c)
	f.want(t, 1)
}

func wanted(fetch Fetch) Fetch {
	return func(ctx context.Context) (Fetched, error) {
		got, err := fetch(ctx)
		got.Finish = true
		return got, err
	}
}

// testFinishLater: nobody pays for what nobody wants; the first who wants it gets
// what there is, and has it made, once.
func testFinishLater(t *testing.T, s site) {
	f := newFinisher(t)
	c, now := s.cache(t, Options{Finish: f.finish})
	var n atomic.Int32
	serve(t, c, "k", made(&n, "1", long, "a"))
	s.settle(t, c)
	f.want(t, 0)
	now.pass(20 * time.Second)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if r := ask(t, c, "k", failing(&n)); r.Entry.Gzip != nil {
				t.Error("it waited")
			}
		})
	}
	all.Wait()
	<-f.began
	close(f.hold)
	s.settle(t, c)
	r := ask(t, c, "k", failing(&n))
	if string(r.Entry.Gzip) != "z" || r.Age != 20*time.Second || r.TTL != 40*time.Second || r.Entry.Tags[0] != "a" {
		t.Errorf("got %+v of %+v", r.Entry, r)
	}
	f.want(t, 1)
}

// testFinishedForOthers: what one copy completed no other has to.
func testFinishedForOthers(t *testing.T, s site) {
	f := newFinisher(t)
	f.hold = nil
	all := s.copies(t, 2, func(_ int, o *Options) { o.Finish = f.finish })
	var n atomic.Int32
	serve(t, all[0], "k", made(&n, "1", long, "a"))
	s.settle(t, all[0])
	ask(t, all[0], "k", failing(&n))
	s.settle(t, all[0])
	r := ask(t, all[1], "k", failing(&n))
	if string(r.Entry.Gzip) != "z" || string(r.Entry.Body) != "1" || r.How != Hit || r.Age > 30*time.Second {
		t.Errorf("got %+v of %+v", r.Entry, r)
	}
	f.want(t, 1)
	all[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
	eventually(t, "a purge ends it", func() bool {
		_, err := all[1].Serve(t.Context(), "k", failing(&n))
		return errors.Is(err, errDown)
	})
}

// testFinishDoesNotPay: what is not worth it is not tried again, here or elsewhere.
func testFinishDoesNotPay(t *testing.T, s site) {
	for _, first := range []func(Fetch) Fetch{wanted, func(f Fetch) Fetch { return f }} {
		f := newFinisher(t)
		f.hold, f.gzip = nil, nil
		all := s.copies(t, 2, func(_ int, o *Options) { o.Finish = f.finish })
		var n atomic.Int32
		serve(t, all[0], "k", first(made(&n, "1", long)))
		for range 2 {
			for _, c := range all {
				s.settle(t, all[0])
				s.settle(t, all[1])
				if r := ask(t, c, "k", failing(&n)); r.Entry.Gzip != nil {
					t.Errorf("got %+v", r.Entry)
				}
			}
		}
		f.want(t, 1)
	}
}

// testPurgeOvertakesFinish: an entry that ended while it was completed stays so.
func testPurgeOvertakesFinish(t *testing.T, s site) {
	f := newFinisher(t)
	c, _ := s.cache(t, Options{Finish: f.finish})
	var n atomic.Int32
	serve(t, c, "k", made(&n, "old", long, "a"))
	s.settle(t, c)
	ask(t, c, "k", failing(&n))
	<-f.began
	c.Purge(t.Context(), Purge{Tags: []string{"a"}})
	close(f.hold)
	s.settle(t, c)
	check(t, "after", serve(t, c, "k", failing(&n)), "error: the source is down")
}

// testFetchOvertakesFinish: what another copy fetched meanwhile, or this one,
// stays where it is.
func testFetchOvertakesFinish(t *testing.T, s site) {
	f := newFinisher(t)
	all := s.copies(t, 2, func(_ int, o *Options) { o.Finish = f.finish })
	var n atomic.Int32
	serve(t, all[0], "k", made(&n, "old", long))
	s.settle(t, all[0])
	ask(t, all[0], "k", failing(&n))
	<-f.began
	if _, err := all[1].Renew(t.Context(), "k", made(&n, "new", long)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is kept", func() bool {
		_, kept := all[1].Fresh("k", func(*Entry) bool { return true })
		return kept && (!s.redis() || string(all[1].remote.get(t.Context(), "k").Body) == "new")
	})
	close(f.hold)
	s.settle(t, all[0])
	r := ask(t, all[1], "k", failing(&n))
	if string(r.Entry.Body) != "new" {
		t.Errorf("got %+v", r.Entry)
	}
	if s.redis() && string(all[1].remote.get(t.Context(), "k").Body) != "new" {
		t.Error("in Redis is what was completed")
	}
}

// testFinishIsBounded: more at once are left for the next who asks.
func testFinishIsBounded(t *testing.T, s site) {
	f := newFinisher(t)
	c, _ := s.cache(t, Options{Finish: f.finish})
	most := runtime.GOMAXPROCS(0)
	var n atomic.Int32
	for i := range most + 1 {
		r := ask(t, c, fmt.Sprint(i), made(&n, "1", long))
		if got := r.Entry.claimed.Load(); got != (i < most) {
			t.Errorf("entry %d of %d is being completed: %t", i+1, most, got)
		}
	}
	for range most {
		<-f.began
	}
	f.want(t, int32(most))
	close(f.hold)
	s.settle(t, c)
	ask(t, c, fmt.Sprint(most), failing(&n))
	s.settle(t, c)
	f.want(t, int32(most+1))
}

// testFinishTooLarge: what memory does not take is another entry in each lookup,
// and completed once all the same.
func testFinishTooLarge(t *testing.T, s site) {
	f := newFinisher(t)
	f.gzip = make([]byte, 400)
	c, _ := s.cache(t, Options{Finish: f.finish, MaxEntry: 500})
	var n atomic.Int32
	for i, body := range []string{"complete only", string(make([]byte, 600))} {
		key := fmt.Sprint(i)
		serve(t, c, key, made(&n, body, long))
		s.settle(t, c)
		if !s.redis() && i > 0 {
			continue
		}
		for range 3 {
			ask(t, c, key, failing(&n))
		}
		<-f.began
		f.hold <- struct{}{}
		s.settle(t, c)
		ask(t, c, key, failing(&n))
		s.settle(t, c)
		f.want(t, int32(i+1))
		if s.redis() && len(c.remote.get(t.Context(), key).Gzip) != 400 {
			t.Errorf("%d: in Redis it is not complete", i)
		}
	}
}

// testFinishWhatIsKept: nothing else is worth it.
func testFinishWhatIsKept(t *testing.T, s site) {
	f := newFinisher(t)
	f.hold = nil
	c, _ := s.cache(t, Options{Finish: f.finish})
	for _, got := range []Fetched{{}, {Share: true}} {
		ask(t, c, fmt.Sprint(got.Share), func(context.Context) (Fetched, error) {
			got.Entry, got.Finish = &Entry{Status: 200}, true
			return got, nil
		})
	}
	s.settle(t, c)
	f.want(t, 0)
}
