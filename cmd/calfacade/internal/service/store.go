package service

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// storage is the cache with its Redis. Generations with the same cache options share it.
type storage struct {
	cache *cache.Cache
	redis *redisstore.Store // nil: memory only

	purges onward.Log // redis too; nil without, and not a nil pointer in an interface

	link  *link // by which the decisions of all instances are followed; nil without redis
	users atomic.Int64

	pending *cache.Pending // of the process
	log     *zap.Logger

	pendingLog rate.Sometimes
}

// openStore opens the store of a valid configuration. No connection is opened: the facade serves also while
// Redis is down.
func openStore(cfg config.Config, shared lasting) (*storage, error) {
	c := cfg.Cache
	s := &storage{pending: shared.pending, log: shared.log, pendingLog: rate.Sometimes{Interval: time.Minute}}
	s.users.Store(1)
	answers, _ := c.Shares()
	o := cache.Options{
		Memory:            answers,
		FetchWithoutRedis: c.WithoutRedis == "fetch",
		TagSpace:          tagSpace(cfg),
		Pending:           shared.pending,
		Caller:            func(ctx context.Context) any { return upstream.ClientOf(ctx) },
		Purged: func(p cache.Purged) {
			shared.onward.Purged(s.purges, p)
			shared.status.Purged(p)
			s.warnPending(p)
		},
	}
	if len(c.Redis) > 0 {
		redis := redisOptions(c)
		redis.Changed = logOutages(shared.log)
		s.link = shared.migration.link()
		redis.Decided = s.link.Decided
		r, err := redisstore.Open(redis)
		if err != nil {
			return nil, err // a file of the URL has changed since it was validated
		}
		s.redis, s.purges, o.Shared = r, r, r
	}
	s.cache = cache.New(o)
	if s.redis != nil {
		go s.inspectRedis()
	}
	return s, nil
}

// instanceName names an instance to operators, by host and listen address.
func instanceName(c config.Config) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + "/" + c.Listen
}

// inspectRedis logs problems and settings of the configured Redis. A Redis that is down or unsuitable causes
// no error at the start, so that only the log shows the cause.
func (s *storage) inspectRedis() {
	report := reportOnRedis(context.Background(), s.redis)
	for _, problem := range report.Problems {
		s.log.Warn("redis", zap.String("problem", problem))
	}
	if report.Servers > 0 {
		s.log.Info("redis", zap.Int("servers", report.Servers), zap.String("version", report.Version),
			zap.String("maxmemory_policy", report.Policy), zap.Duration("round_trip", report.RoundTrip), zap.Strings("notes", report.Notes))
	}
}

// share adds a user. Each user releases the store, as does the caller of openStore.
func (s *storage) share() *storage {
	s.users.Add(1)
	return s
}

// release closes the store after the last user.
func (s *storage) release() error {
	if s.users.Add(-1) > 0 {
		return nil
	}
	s.cache.Close()
	if s.redis == nil {
		return nil
	}
	return s.redis.Close()
}

// errPurgesLost is the error of a process that ends with purges that Redis has not taken.
var errPurgesLost = errors.New("purges have not reached Redis: other instances serve outdated responses until these expire")

// settle waits until Redis has all purges of the process, or ctx ends.
func (s *storage) settle(ctx context.Context) error {
	tags := s.pending.Wait(ctx)
	if len(tags) == 0 {
		return nil
	}
	s.log.Error("purges have not reached redis", zap.Int("purges", s.pending.Len()), zap.Strings("tags", tags[:min(len(tags), maxLoggedTags)]))
	return errPurgesLost
}

// warnPending logs, at most once a minute, that a purge is pending: an operator who restarts the process then
// loses the purge.
func (s *storage) warnPending(p cache.Purged) {
	if p.Local && p.At == 0 && s.pending.Len() > 0 {
		s.pendingLog.Do(s.logPending)
	}
}

// logPending logs the pending purges that the end of the process would lose now.
func (s *storage) logPending() {
	tags := s.pending.Tags()
	if len(tags) == 0 {
		return
	}
	s.log.Warn("purges wait for redis: until it takes them, other instances serve outdated responses, and the end of this process loses them",
		zap.Int("purges", s.pending.Len()), zap.Strings("tags", tags[:min(len(tags), maxLoggedTags)]))
}

// maxLoggedTags is the number of tags in a record of the log.
const maxLoggedTags = 100

// sameStore reports whether two configurations store entries in the same place.
func sameStore(x, y config.Config) bool {
	a := x.Cache
	b := y.Cache
	return tagSpace(x) == tagSpace(y) && slices.Equal(a.Redis.Reveal(), b.Redis.Reveal()) &&
		a.RedisTimeout == b.RedisTimeout && a.ReadLogEvery == b.ReadLogEvery && a.Prefix == b.Prefix &&
		a.WithoutRedis == b.WithoutRedis && a.Memory == b.Memory
}

// maxOutages is the number of logged outages of Redis in a minute, so that an unstable Redis does not fill
// the log.
const maxOutages = 5

// logOutages returns the function that logs when Redis goes down and recovers: see
// [redisstore.Options.Changed]. The calls do not overlap.
func logOutages(log *zap.Logger) func(cause error) {
	log = log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(c, time.Minute, maxOutages, 0)
	}))
	var since time.Time
	return func(cause error) {
		if cause == nil {
			log.Info("redis is back", zap.Duration("after", time.Since(since)))
			return
		}
		since = time.Now()
		log.Warn("redis is down, the instance serves from memory and from the site", zap.Error(cause))
	}
}
