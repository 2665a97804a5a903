package cache

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
)

func TestMain(m *testing.M) { testwait.MainIdle(m) }

const aLongTime = testwait.Limit

var (
	eventually = testwait.Until
	must       = redistest.Must
)

// open opens a Redis and closes it with the test.
func open(t testing.TB, o redisstore.Options) *redisstore.Store {
	t.Helper()
	r, err := redisstore.Open(o)
	return redistest.Closing(t, r, err)
}

// redisOf returns the Redis of c, which has one.
func redisOf(c *Cache) *redisstore.Store { return c.options.Shared.(*redisstore.Store) }

// pendingWritesOf returns the number of writes with an outcome that c does not know.
func pendingWritesOf(c *Cache) int {
	c.log.mu.RLock()
	defer c.log.mu.RUnlock()
	return len(c.log.writes.byID)
}

// ask reads the log and serves, as a request does.
func (c *Cache) ask(ctx context.Context, key string, fetch Fetch) (Result, error) {
	return c.Serve(ctx, c.ReadLog(), key, fetch)
}

// shows reports whether a log read shows the end of the log, and entries of Redis may be served.
func (c *Cache) shows() bool { return c.ReadLog() && c.serves() }

// clock is a time that only the test advances.
type clock struct{ now atomic.Int64 }

func (c *clock) time() time.Time      { return time.Unix(1_800_000_000, c.now.Load()) }
func (c *clock) pass(d time.Duration) { c.now.Add(int64(d)) }

var errDown = errors.New("the source is down")

// fetcher returns a fetch of an entry with body, which counts its calls.
func fetcher(count *atomic.Int32, body string, life Life, tags ...string) Fetch {
	return func(context.Context, Reason) (Fetched, error) {
		count.Add(1)
		return Fetched{Entry: &Entry{Status: 200, Body: []byte(body), Tags: tags, Life: life}, Store: true, Share: true}, nil
	}
}

func failing(count *atomic.Int32) Fetch {
	return func(context.Context, Reason) (Fetched, error) {
		count.Add(1)
		return Fetched{}, errDown
	}
}

func serve(t *testing.T, c *Cache, key string, fetch Fetch) string {
	t.Helper()
	r, err := c.ask(t.Context(), key, fetch)
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%s %s age %s ttl %s", r.How, r.Entry.Body, r.Age.Round(time.Second), r.TTL.Round(time.Second))
}

func check(t *testing.T, name, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", name, got, want)
	}
}

var long = Life{Fresh: time.Minute, StaleWhileRevalidate: 5 * time.Minute, StaleIfError: time.Hour}
