package edge

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/calfacade/calfacade/proxy/problem"
)

// overloaded is the refusal of a request for which there is no room now.
func overloaded() *problem.Error {
	return &problem.Error{
		Status: http.StatusServiceUnavailable,
		Code:   "calendar_overloaded",
		Header: problem.RetryAfter(time.Second),
	}
}

// bodies bounds the memory of all request bodies.
type bodies struct {
	room *semaphore.Weighted // nil disables the limit
}

func newBodies(limit int64) bodies {
	if limit == 0 {
		return bodies{}
	}
	return bodies{semaphore.NewWeighted(limit)}
}

// count returns r as a body that counts. It counts the bytes that arrive, not those announced:
// a client that announces many and sends none must not keep others out.
func (b bodies) count(r io.Reader) *Body { return &Body{from: r, room: b.room} }

// Body is a request body. Whoever has one must call Release.
type Body struct {
	from io.Reader
	room *semaphore.Weighted
	n    int64
}

// Read implements [io.Reader]. Its error may be a refusal.
func (b *Body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.room == nil || n == 0 {
		return n, err
	}
	if !b.room.TryAcquire(int64(n)) {
		return 0, overloaded()
	}
	b.n += int64(n)
	return n, err
}

// Release ends the counting of a body that is no longer in memory. A nil Body is none.
func (b *Body) Release() {
	if b != nil && b.n > 0 {
		b.room.Release(b.n)
		b.n = 0
	}
}

// uncached bounds the requests in progress that the cache did not answer. Hits are not
// counted. A quarter is reserved for writes, for which there is no stale response instead.
type uncached struct {
	limit int64 // 0 disables the limit
	now   atomic.Int64
}

// admit admits a request until leave is called.
func (u *uncached) admit(write bool) (leave func(), err error) {
	if u.limit == 0 {
		return func() {}, nil
	}
	limit := u.limit
	if !write {
		limit -= limit / 4
	}
	if u.now.Add(1) > limit {
		u.leave()
		return nil, overloaded()
	}
	return u.leave, nil
}

func (u *uncached) leave() { u.now.Add(-1) }
