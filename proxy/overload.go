package proxy

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/proxy/problem"
	"golang.org/x/sync/semaphore"
)

// overloaded is told to whom there is no room for now.
func overloaded() *problem.Error {
	return &problem.Error{
		Status: http.StatusServiceUnavailable,
		Code:   "calendar_overloaded",
		Header: problem.RetryAfter(time.Second),
	}
}

// bodies bounds the memory of all request bodies together.
type bodies struct {
	room *semaphore.Weighted // nil: no bound
}

func newBodies(most int64) bodies {
	if most == 0 {
		return bodies{}
	}
	return bodies{semaphore.NewWeighted(most)}
}

// count gives r with every byte counted as it comes, and not as announced: who
// announces much and sends nothing would keep others out. What was counted must
// be given back.
func (b bodies) count(r io.Reader) *counted { return &counted{from: r, room: b.room} }

type counted struct {
	from io.Reader
	room *semaphore.Weighted
	n    int64
}

// Read implements [io.Reader].
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.room == nil || n == 0 {
		return n, err
	}
	if !c.room.TryAcquire(int64(n)) {
		return 0, overloaded()
	}
	c.n += int64(n)
	return n, err
}

// giveBack is for when the body is no longer needed.
func (c *counted) giveBack() {
	if c != nil && c.n > 0 {
		c.room.Release(c.n)
		c.n = 0
	}
}

// front bounds the requests under way that the cache did not answer. Hits pass
// without being counted. Reads leave a quarter to writes, which cannot be given
// a stale answer instead.
type front struct {
	most int64 // 0: no bound
	now  atomic.Int64
}

// enter says who must leave. An error is for the client.
func (f *front) enter(write bool) (leave func(), err error) {
	if f.most == 0 {
		return func() {}, nil
	}
	most := f.most
	if !write {
		most -= most / 4
	}
	if f.now.Add(1) > most {
		f.leave()
		return nil, overloaded()
	}
	return f.leave, nil
}

func (f *front) leave() { f.now.Add(-1) }
