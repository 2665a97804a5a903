package upstream_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy"
)

// busyElsewhere is a Redis in which another instance fetches every key, for a time and in vain.
type busyElsewhere time.Duration

func (busyElsewhere) Follow(redisstore.Follower) {}
func (busyElsewhere) ReadLog() error             { return nil }
func (busyElsewhere) Up() bool                   { return true }
func (busyElsewhere) Now() time.Time             { return time.Now() }

func (busyElsewhere) Append(context.Context, []byte) (redisstore.Position, error) { return 1, nil }

func (busyElsewhere) Find(context.Context, string, time.Duration) (redisstore.Found, error) {
	return redisstore.Found{Held: true}, nil
}

func (busyElsewhere) Put(context.Context, string, []byte, time.Duration) {}

func (b busyElsewhere) Wait(context.Context, string) error {
	time.Sleep(time.Duration(b))
	return nil
}

// TestTimeAfterWaiting: a request that waits for the fetch of another instance and then calls a site that hangs
// takes no longer than one call.
func TestTimeAfterWaiting(t *testing.T) {
	for waited, calls := range map[time.Duration]int{0: 1, 2 * time.Second: 1, 2900 * time.Millisecond: 0, 3 * time.Second: 0} {
		t.Run(fmt.Sprint(waited), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shared := cache.New(cache.Options{Shared: busyElsewhere(waited)})
				defer shared.Close()
				a := newAttacked(t, func(o *proxy.Options) {
					o.Upstream.Timeout = 3 * time.Second
					o.Cache = shared
				})
				began := time.Now()
				a.readAll()
				time.Sleep(2950 * time.Millisecond)
				if n := a.underWay(func(*http.Request) bool { return true }); n != calls {
					t.Errorf("%d calls, want %d", n, calls)
				}
				a.clients.Wait()
				status, _ := a.answers.Load(1)
				if took := time.Since(began); status == http.StatusOK || took > 3*time.Second {
					t.Errorf("%v after %s", status, took)
				}
			})
		})
	}
}
