package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// compressor compresses bodies, counts them, and can be blocked.
type compressor struct {
	n     atomic.Int32
	ctx   context.Context // of the test: unblocks when it ends
	began chan struct{}
	hold  chan struct{} // nil: does not block
	gzip  []byte        // nil: compression does not pay
}

func newCompressor(t *testing.T) *compressor {
	return &compressor{ctx: t.Context(), began: make(chan struct{}, 100), hold: make(chan struct{}), gzip: []byte("z")}
}

func (f *compressor) compress([]byte) []byte {
	f.n.Add(1)
	f.began <- struct{}{}
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-f.ctx.Done():
		}
	}
	return f.gzip
}

func (f *compressor) want(t *testing.T, n int32) {
	t.Helper()
	if got := f.n.Load(); got != n {
		t.Errorf("%d bodies compressed, want %d", got, n)
	}
}

// ask requests key.
func ask(t *testing.T, c *Cache, key string, fetch Fetch) Result {
	t.Helper()
	r, err := c.ask(t.Context(), key, fetch)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// testCompress: an entry is compressed in the background once it is stored. No request
// waits for that, and its age and tags are preserved.
func testCompress(t *testing.T, s site) {
	f := newCompressor(t)
	c, now := s.cache(t, Options{Compress: f.compress})
	var n atomic.Int32
	if r := ask(t, c, "k", made(&n, "1", long, "a")); r.Entry.Gzip != nil {
		t.Error("the fetch waited")
	}
	<-f.began
	now.pass(20 * time.Second)
	if r := ask(t, c, "k", failing(&n)); r.Entry.Gzip != nil {
		t.Error("a hit waited")
	}
	close(f.hold)
	s.settle(t, c)
	r := ask(t, c, "k", failing(&n))
	if string(r.Entry.Gzip) != "z" || string(r.Entry.Body) != "1" ||
		r.Age != 20*time.Second || r.TTL != 40*time.Second || r.Entry.Tags[0] != "a" {
		t.Errorf("got %+v of %+v", r.Entry, r)
	}
	if s.redis() && string(ofRedis(t, c, "k").Gzip) != "z" {
		t.Error("in Redis it is not compressed")
	}
	f.want(t, 1)
}

// testCompressedForOthers: the result of one instance serves all.
func testCompressedForOthers(t *testing.T, s site) {
	f := newCompressor(t)
	f.hold = nil
	all := s.instances(t, 2, func(_ int, o *Options) { o.Compress = f.compress })
	var n atomic.Int32
	ask(t, all[0], "k", made(&n, "1", long, "a"))
	s.settle(t, all[0])
	r := ask(t, all[1], "k", failing(&n))
	if string(r.Entry.Gzip) != "z" || string(r.Entry.Body) != "1" || r.How != Hit || r.Age > 30*time.Second {
		t.Errorf("got %+v of %+v", r.Entry, r)
	}
	f.want(t, 1)
	all[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
	eventually(t, "it is purged", func() bool {
		_, err := all[1].ask(t.Context(), "k", failing(&n))
		return errors.Is(err, errDown)
	})
}

// testCompressDoesNotPay: an entry that does not get smaller is not compressed again, by any
// instance.
func testCompressDoesNotPay(t *testing.T, s site) {
	f := newCompressor(t)
	f.hold, f.gzip = nil, nil
	all := s.instances(t, 2, func(_ int, o *Options) { o.Compress = f.compress })
	var n atomic.Int32
	ask(t, all[0], "k", made(&n, "1", long))
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

// testPurgeOvertakesCompress: an entry that is purged while it is compressed stays purged.
func testPurgeOvertakesCompress(t *testing.T, s site) {
	f := newCompressor(t)
	c, _ := s.cache(t, Options{Compress: f.compress})
	var n atomic.Int32
	ask(t, c, "k", made(&n, "old", long, "a"))
	<-f.began
	c.Purge(t.Context(), Purge{Tags: []string{"a"}})
	close(f.hold)
	s.settle(t, c)
	check(t, "after", serve(t, c, "k", failing(&n)), "error: the source is down")
}

// testFetchOvertakesCompress: compression does not replace a newer entry.
func testFetchOvertakesCompress(t *testing.T, s site) {
	f := newCompressor(t)
	c, now := s.cache(t, Options{Compress: f.compress})
	var n atomic.Int32
	ask(t, c, "k", made(&n, "old", long))
	<-f.began
	now.pass(time.Second)
	if _, err := c.Renew(t.Context(), true, "k", made(&n, "new", long)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is stored", func() bool {
		r, kept := c.Fresh(c.Look(), "k")
		return kept && string(r.Entry.Body) == "new"
	})
	close(f.hold)
	s.settle(t, c)
	if r := ask(t, c, "k", failing(&n)); string(r.Entry.Body) != "new" {
		t.Errorf("got %+v", r.Entry)
	}
	if s.redis() && string(ofRedis(t, c, "k").Body) != "new" {
		t.Error("Redis has the older entry")
	}
}

// testCompressIsBounded: compressions above the limit wait for a slot, and clients do not
// wait for them.
func testCompressIsBounded(t *testing.T, s site) {
	f := newCompressor(t)
	c, _ := s.cache(t, Options{Compress: f.compress})
	most := runtime.GOMAXPROCS(0)
	var n atomic.Int32
	for i := range most + 1 {
		ask(t, c, fmt.Sprint(i), made(&n, "1", long))
	}
	for range most {
		<-f.began
	}
	f.want(t, int32(most))
	f.hold <- struct{}{}
	<-f.began
	close(f.hold)
	s.settle(t, c)
	f.want(t, int32(most+1))
	for i := range most + 1 {
		if r := ask(t, c, fmt.Sprint(i), failing(&n)); string(r.Entry.Gzip) != "z" {
			t.Errorf("entry %d is not compressed", i)
		}
	}
}

// testCompressTooLarge: an entry too large for memory is compressed in Redis, once.
func testCompressTooLarge(t *testing.T, s site) {
	f := newCompressor(t)
	f.hold, f.gzip = nil, make([]byte, 400)
	c, _ := s.cache(t, Options{Compress: f.compress, MaxEntry: 500})
	var n atomic.Int32
	for i, body := range []string{"too large with its compressed body", string(make([]byte, 600))} {
		key := fmt.Sprint(i)
		ask(t, c, key, made(&n, body, long))
		s.settle(t, c)
		if !s.redis() && i > 0 {
			continue
		}
		for range 3 {
			ask(t, c, key, failing(&n))
		}
		s.settle(t, c)
		f.want(t, int32(i+1))
		if s.redis() && len(ofRedis(t, c, key).Gzip) != 400 {
			t.Errorf("%d: in Redis it is not compressed", i)
		}
	}
}

// testCompressWhatIsStored: only stored entries are compressed.
func testCompressWhatIsStored(t *testing.T, s site) {
	f := newCompressor(t)
	f.hold = nil
	c, _ := s.cache(t, Options{Compress: f.compress})
	for _, got := range []Fetched{{}, {Share: true}} {
		ask(t, c, fmt.Sprint(got.Share), func(context.Context) (Fetched, error) {
			got.Entry = &Entry{Status: 200, Body: []byte("1")}
			return got, nil
		})
	}
	s.settle(t, c)
	f.want(t, 0)
}
