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
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestCachesInFrontOfRedis: likewise if the facade finds its entries in Redis, where another instance
// has stored them.
func TestCachesInFrontOfRedis(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	redis := processtest.NewRedisServer(t)
	for name := range cachesInFront {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFacadeInFront(t, name, func(c *config.Config) {
				c.Cache.Redis = config.NewSecrets([]string{redis.URL()})
				c.Cache.Prefix = strings.ReplaceAll(name, " ", "-")
			})
			for _, age := range []int{0, 1, 20, 45, 65, 120, 300} {
				f.sentFromRedis(age)
			}
			f.start(name)
			f.wholeLife()
		})
	}
}

// sentFromRedis: an entry of this age from Redis has the age, the rest of its life, and the stale
// directives that it had when it was new.
func (f *cacheInFront) sentFromRedis(age int) {
	f.Helper()
	began := time.Now()
	item, maxAge := f.stored()
	f.pass(time.Duration(age) * time.Second)
	g := f.getFrom(f.facade.URL, http.MethodGet, item)
	maximum := age + int(time.Since(began)/time.Second) + 1
	h := g.header
	status := g.header.Get("Cache-Status")
	isStale := age > maxAge
	if !strings.Contains(status, "hit;") || strings.Contains(status, "stale-while-revalidate") != isStale {
		f.Errorf("%d s old: %s", age, status)
	}
	// Each instance knows the clock of Redis to within the time of one answer, and Age is in whole seconds.
	if got, _ := strconv.Atoi(h.Get("Age")); got < age-1 || got > maximum {
		f.Errorf("%d s old: Age: %d, want %d to %d", age, got, age-1, maximum)
	}
	field, directive := f.lifetime()
	_, got, _ := strings.Cut(h.Get(field), directive)
	if seconds, _, _ := strings.Cut(got, ","); seconds != strconv.Itoa(maxAge) ||
		!strings.HasSuffix(got, ", stale-while-revalidate=300, stale-if-error=86400") {
		f.Errorf("%d s old: %s: %s, want %d s", age, field, h.Get(field), maxAge)
	}
	if text := h.Get("X-Accel-Expires"); (text != "") != (f.edge.Lifetime == "x-accel-expires") {
		f.Errorf("%d s old: X-Accel-Expires: %q", age, text)
	} else if ttl, _ := strconv.Atoi(text); text != "" && (ttl > max(0, maxAge+1-age) || ttl < max(0, maxAge-maximum)) {
		f.Errorf("%d s old, max-age=%d: X-Accel-Expires: %d", age, maxAge, ttl)
	}
}

// aheadOf is Redis with the clock of the test.
type aheadOf struct {
	cache.Shared
	cache *cacheInFront
}

func (s aheadOf) Now() time.Time { return s.Shared.Now().Add(time.Duration(s.cache.ahead.Load())) }

func (s aheadOf) Put(ctx context.Context, key string, data []byte, life time.Duration) {
	s.Shared.Put(ctx, key, data, life)
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.keys = append(s.cache.keys, key)
}
