package redisstore

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// testInstances: each instance sees those that announced themselves lately.
func testInstances(t *testing.T, o Options, _ redistest.Topology) {
	a := open(t, o)
	b := open(t, o)
	_, err := a.Announce(background, "web1/:8080", "v1")
	must(t, err)
	got, err := b.Announce(background, "web2/:8080", "v2")
	must(t, err)
	if len(got) != 2 || got[0].Name != "web1/:8080" || got[0].Version != "v1" || got[1].Version != "v2" {
		t.Fatalf("got %+v", got)
	}
	if age := b.Now().Sub(got[0].Seen); age < -time.Second || age > aLongTime {
		t.Errorf("seen %s ago", age)
	}
	c := *b.client.Load()
	key := o.Prefix + ":announced"
	must(t, c.ZAdd(background, key, redis.Z{Score: float64(b.Now().Add(-2 * forgotten).UnixMilli()), Member: "v1 old"}).Err())
	if got, err = b.Announce(background, "web2/:8080", "v2"); err != nil || len(got) != 2 {
		t.Errorf("%v, got %+v, want no instance that is gone", err, got)
	}
	if n := c.ZCard(background, key).Val(); n != 2 {
		t.Errorf("%d instances are stored, want 2", n)
	}
	if ttl := c.TTL(background, key).Val(); ttl <= 0 || ttl > time.Hour {
		t.Errorf("the list lives %v", ttl)
	}
}
