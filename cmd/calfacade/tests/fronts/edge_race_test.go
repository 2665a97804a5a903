//go:build !race

package fronts_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/onward"
)

// TestOvertakenInFront: a response that reaches the cache after the purge that invalidates it goes
// when the purge is repeated.
func TestOvertakenInFront(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	f := newFacadeInFront(t, "varnish", nil)
	between := redistest.StartRelay(t, strings.TrimPrefix(f.facade.URL, "http://"))
	f.base = cachesInFront["varnish"].start(t, between.Address)
	d := onward.New(nil)
	d.Configure(onward.Plan{
		Targets: []onward.Target{{Name: "front", Kind: onward.Varnish, URL: f.base, Repeat: 5 * time.Second}},
		Keys:    freshness.Keys{},
	})
	t.Cleanup(func() { d.Close(context.Background()) })
	delivered := func(n uint64) {
		processtest.Eventually(t, "the purge is sent", func() bool { return d.Couriers()[0].Status().Delivered == n })
	}
	delivered(1) // everything, at the start
	item, _ := f.stored()
	held, release := between.Hold()
	first := make(chan gotten, 1)
	go func() { first <- f.get(http.MethodGet, item) }()
	<-held
	f.site.version.Add(1)
	p := cache.Purge{Tags: []string{"events:" + strconv.Itoa(item)}}
	f.cache.Purge(t.Context(), p)
	d.Purged(nil, cache.Purged{Purge: p, Local: true})
	delivered(2)
	release()
	if g := <-first; g.version != 1 {
		t.Fatalf("the response was not overtaken: %v", g.header)
	}
	f.untilNew("the response that was overtaken", item, func(time.Time) bool { return true })
}
