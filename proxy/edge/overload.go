package edge

import (
	"io"
	"net/http"
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

// newBodies returns what bounds the memory of all request bodies; nil without a limit.
func newBodies(limit int64) *semaphore.Weighted {
	if limit == 0 {
		return nil
	}
	return semaphore.NewWeighted(limit)
}

// Body returns r as a body that counts towards MaxBodies while it is read and until it is released. It
// counts the bytes that arrive, not those announced: a client that announces many and sends none must
// not keep others out.
func (e *Edge) Body(r io.Reader) *Body { return &Body{from: r, room: e.bodies} }

// Body is a request body. Whoever has one must call Release.
type Body struct {
	from io.Reader
	room *semaphore.Weighted // nil disables the limit
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

// AdmitUncached admits a request that the cache does not answer, until leave is called. The error is a
// refusal. A quarter of the limit is reserved for writes, for which there is no stale response instead.
func (e *Edge) AdmitUncached(write bool) (leave func(), err error) {
	limit := e.maxUncached
	if limit == 0 {
		return func() {}, nil
	}
	if !write {
		limit -= limit / 4
	}
	leave = func() { e.uncached.Add(-1) }
	if e.uncached.Add(1) > limit {
		leave()
		return nil, overloaded()
	}
	return leave, nil
}
