package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/edge"
)

// The configuration of the cache reaches the facade.
func TestGenerationCaches(t *testing.T) {
	c := minimalConfig(t)
	c.Cache.Zone, c.Cache.TTL["events"] = "Europe/London", time.Hour
	c.Cache.IgnoreCookies, c.Cache.OverrideNoStore = []string{"a"}, true
	o := newTestGeneration(t, c).options
	f := o.Freshness
	got := []any{
		o.Cache != nil, f.TTL["events"], f.TTL["tags"], f.StaleWhileRevalidate, f.StaleIfError, f.Negative, f.Zone().String(),
		f.IgnoreCookies[0], f.OverrideNoStore,
	}
	want := []any{true, time.Hour, 10 * time.Minute, 5 * time.Minute, 24 * time.Hour, 10 * time.Second, "Europe/London", "a", true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	c.Cache.Enabled = false
	if o := newTestGeneration(t, c).options; o.Cache != nil {
		t.Errorf("cache off: %v", o.Cache)
	}
}

// The timeouts of Redis reach it, and other ones need another store.
func TestGenerationRedis(t *testing.T) {
	before := minimalConfig(t)
	before.Cache.RedisTimeout, before.Cache.PurgeWait = 70*time.Millisecond, time.Second
	if o := redisOptions(before.Cache); o.Budget != 70*time.Millisecond || o.PurgeWait != time.Second {
		t.Errorf("redis has %+v", o)
	}
	after := before
	if !sameStore(before, after) {
		t.Error("nothing has changed")
	}
	if after.Cache.RedisTimeout *= 2; sameStore(before, after) {
		t.Error("the timeout has changed")
	}
}

// Without a zone in the configuration, the facade requests it from the site's root.
func TestGenerationLearnsZone(t *testing.T) {
	requested := make(chan string, 1)
	c := minimalConfig(t)
	c.Languages[0].Upstream = serveTest(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requested <- r.URL.Path
	})) + "/wp-json"
	g := newTestGeneration(t, c)
	if got := g.options.Freshness.Zone(); got != nil {
		t.Errorf("got %v at once", got)
	}
	if got := <-requested; got != "/wp-json/" {
		t.Errorf("requested %s", got)
	}
}

func newTestGeneration(t *testing.T, c config.Config) *generation {
	t.Helper()
	g, err := newGeneration(c, lasting{log: zap.NewNop(), secrets: edge.NewSecrets(edge.SecretsOptions{})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return g
}
