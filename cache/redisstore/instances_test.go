package redisstore

import (
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// testInstances: each instance sees those that announced themselves lately, and when they last looked.
func testInstances(t *testing.T, o Options, _ redistest.Topology) {
	a, b := open(t, o), open(t, o)
	_, err := a.Announce(background, "web1/:8080", "v1")
	must(t, err)
	must(t, b.Look())
	got, err := b.Announce(background, "web2/:8080", "v2")
	must(t, err)
	if len(got) != 2 || got[0].Name != "web1/:8080" || got[0].Version != "v1" || got[1].Version != "v2" {
		t.Fatalf("got %+v", got)
	}
	if !got[0].Looked.IsZero() || got[1].Looked.IsZero() || got[1].Looked.After(got[1].Seen) {
		t.Errorf("looked at the log: %+v", got)
	}
	c := *b.client.Load()
	must(t, c.HSet(background, o.Prefix+":instances", "old", `{"seen":"2026-01-01T00:00:00Z"}`, "broken", "x").Err())
	if got, err = b.Announce(background, "web2/:8080", "v2"); err != nil || len(got) != 2 {
		t.Errorf("%v, got %+v, want no instance that is gone", err, got)
	}
	if n := c.HLen(background, o.Prefix+":instances").Val(); n != 2 {
		t.Errorf("%d instances are stored, want 2", n)
	}
	if ttl := c.TTL(background, o.Prefix+":instances").Val(); ttl <= 0 || ttl > time.Hour {
		t.Errorf("the list lives %v", ttl)
	}
}
