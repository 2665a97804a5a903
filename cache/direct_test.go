package cache

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// TestUnknownPurges: while Redis does not answer and does not count as down, memory serves no request: another
// instance may have purged the entry. All requests that wait share a fetch that began after they arrived.
func TestUnknownPurges(t *testing.T) {
	for _, mode := range []struct {
		fetchWithoutRedis bool
		down              string // the response once Redis is down
	}{{fetchWithoutRedis: false, down: "hit"}, {fetchWithoutRedis: true, down: "uri-miss"}} {
		t.Run(fmt.Sprint(mode.fetchWithoutRedis), func(t *testing.T) {
			inOrder(t, func(t *testing.T, m *model, a, _, _ *instance) {
				a.cache.options.FetchWithoutRedis = mode.fetchWithoutRedis
				a.serve(t, func() {})
				m.write(1, 0)
				m.locked(func() { m.down = true })
				check(t, "the source is down", a.askUnknown(t, errDown), "stale 0 the source is down")
				check(t, "the source works", a.askUnknown(t, nil), "uri-miss 1 <nil>")
				if _, ok := a.cache.Fresh(false, "page"); ok {
					t.Error("fresh while the purges are not known")
				}
				m.locked(func() { m.down = false })
				if _, ok := a.cache.Fresh(a.cache.ReadLog(), "page"); ok {
					t.Error("fresh although its fetch began before the purge was known")
				}
				a.serve(t, func() {})
				m.locked(func() { m.down = true })
				a.cache.ReadLog()
				time.Sleep(time.Second)
				check(t, "Redis is down", a.askUnknown(t, nil)[:len(mode.down)], mode.down)
				_, ok := a.cache.Fresh(false, "page")
				check(t, "fresh while Redis is down", fmt.Sprint(ok), fmt.Sprint(!mode.fetchWithoutRedis))
			})
		})
	}
}

// askUnknown serves page 0 to a request after a failed log read.
func (i *instance) askUnknown(t *testing.T, failure error) string {
	t.Helper()
	r, err := i.cache.Serve(t.Context(), i.cache.ReadLog(), "page", func(context.Context, Reason) (Fetched, error) {
		e := &Entry{Status: 200, Body: strconv.AppendInt(nil, i.versions[0], 10), Tags: []string{"page 0"}, Life: long}
		return Fetched{Entry: e, Store: true, Share: true}, failure
	})
	must(t, err)
	return fmt.Sprint(r.How, " ", string(r.Entry.Body), " ", r.Err)
}

// TestUnknownPurgesShareFetch: of a hundred requests one fetches; those that arrive during the fetch share the next.
func TestUnknownPurgesShareFetch(t *testing.T) {
	inOrder(t, func(t *testing.T, m *model, a, _, _ *instance) {
		a.serve(t, func() {})
		m.locked(func() { m.down = true })
		a.cache.ReadLog()
		fetches := 0
		fetch := func(context.Context, Reason) (Fetched, error) {
			fetches++
			body := strconv.AppendInt(nil, m.versions[0], 10)
			time.Sleep(10 * time.Millisecond)
			return Fetched{Entry: &Entry{Status: 200, Body: body, Tags: []string{"page 0"}, Life: long}, Store: true, Share: true}, nil
		}
		var requests sync.WaitGroup
		for range 3 {
			m.versions[0]++
			want := fmt.Sprint(m.versions[0])
			for range 100 {
				requests.Go(func() {
					r, err := a.cache.Serve(t.Context(), false, "page", fetch)
					if err != nil || string(r.Entry.Body) < want {
						t.Errorf("%+v, %v; want version %s", r, err, want)
					}
				})
			}
			synctest.Wait()
		}
		requests.Wait()
		if fetches != 2 {
			t.Errorf("%d fetches, want 2", fetches)
		}
	})
}

// heldKey is an instance that finds another one fetching, for 3 s.
type heldKey struct{ *instance }

func (h heldKey) Find(context.Context, string, time.Duration) (redisstore.Found, error) {
	return redisstore.Found{Held: true}, nil
}

func (h heldKey) Wait(context.Context, string) error {
	time.Sleep(3 * time.Second)
	return nil
}

// TestWaited: a fetch knows for how long its caller waited for another instance before.
func TestWaited(t *testing.T) {
	inOrder(t, func(t *testing.T, _ *model, a, _, _ *instance) {
		c := New(Options{Shared: heldKey{a}})
		defer c.Close()
		var waited time.Duration
		_, err := c.ask(t.Context(), "page", func(_ context.Context, why Reason) (Fetched, error) {
			waited = why.Waited
			return Fetched{}, errDown
		})
		if waited != 3*time.Second || !errors.Is(err, errDown) {
			t.Errorf("%s, %v", waited, err)
		}
	})
}
