package service

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// RedisReport is the result of a check of Redis. Texts contain no password.
type RedisReport struct {
	Servers   int           `json:"servers"`          // that answered; of a cluster its masters
	Version   string        `json:"version"`          // of one of them; "" if unknown
	Policy    string        `json:"maxmemory_policy"` // "" if unknown
	RoundTrip time.Duration `json:"round_trip_ns"`    // of the slowest server
	Problems  []string      `json:"problems"`         // the cache does not work as documented
	Notes     []string      `json:"notes"`            // settings that work, but differ from the usual choice
}

// remedies explain how to mend an error of Redis, by a text in the error.
var remedies = []struct{ text, remedy string }{
	{"WRONGPASS", "refuses the credentials of the URL: redis://USER:PASSWORD@HOST, with special characters percent-encoded"},
	{"NOAUTH", "wants a password: redis://USER:PASSWORD@HOST, with special characters percent-encoded"},
	{"NOPERM", "does not allow a command: docs/recipes/redis.md has the ACL that is needed"},
	{"DB index", "has no database of that number"},
	{"cluster support disabled", "is no cluster, but several URLs are configured: " +
		"a single server has one URL, Sentinels have ?master_name= in each"},
	{"MOVED", "is a node of a cluster: configure the URLs of at least two of its nodes"},
	{"READONLY", "is a replica and refuses writes: configure the master, or the Sentinels"},
	{"OOM", "is full and refuses writes: raise maxmemory, or set maxmemory-policy volatile-lru"},
	{"MISCONF", "cannot write its snapshot and refuses writes: see its log"},
	{"max number of clients", "has no connection left: raise its maxclients"},
	{"dial tcp", "is not reachable"},
	{"timeout", "does not answer: see its address, and whether it wants TLS (rediss://) or not"},
	{"", "does not work"},
}

// CheckRedis reports the faults of the Redis in a valid configuration, and the remedy of each.
func CheckRedis(ctx context.Context, c config.Cache) (*RedisReport, error) {
	r, err := redisstore.Open(redisOptions(c))
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return reportOnRedis(ctx, r), nil
}

// redisOptions turns a valid configuration into the options of a Redis.
func redisOptions(c config.Cache) redisstore.Options {
	return redisstore.Options{URLs: c.Redis.Reveal(), Prefix: c.Prefix, Timeout: c.RedisTimeout, ReadLogEvery: c.ReadLogEvery}
}

// reportOnRedis reports the faults of a Redis that is open.
func reportOnRedis(ctx context.Context, r *redisstore.Store) *RedisReport {
	report := &RedisReport{Problems: []string{}, Notes: []string{}}
	servers, err := r.Check(ctx)
	for _, remedy := range remedies {
		if err != nil && strings.Contains(err.Error(), remedy.text) {
			report.Problems = append(report.Problems, fmt.Sprintf("%s (%v)", remedy.remedy, err))
			break
		}
	}
	for _, s := range servers {
		report.add(s)
	}
	return report
}

func (p *RedisReport) add(s redisstore.Server) {
	p.Servers++
	p.RoundTrip = max(p.RoundTrip, s.RoundTrip)
	p.Version = cmp.Or(s.Version, p.Version)
	p.Policy = cmp.Or(s.Policy, p.Policy)
	problem := func(format string, a ...any) { p.Problems = append(p.Problems, fmt.Sprintf(format, a...)) }
	note := func(format string, a ...any) { p.Notes = append(p.Notes, fmt.Sprintf(format, a...)) }
	var major, minor int
	if _, err := fmt.Sscanf(s.Version, "%d.%d", &major, &minor); err == nil && (major < 6 || major == 6 && minor < 2) {
		problem("has version %s: 6.2 or later is required", s.Version)
	}
	switch {
	case s.Err != nil:
		note("does not report its version and settings: %v", s.Err)
	case strings.HasPrefix(s.Policy, "allkeys-"):
		problem("may evict the purge log (maxmemory-policy %s), so that purges are lost: set volatile-lru", s.Policy)
	case s.Unlimited:
		note("has no maxmemory: it grows until the machine has no memory left")
	case s.Policy == "noeviction":
		note("is not used while it is full (maxmemory-policy noeviction): set volatile-lru")
	}
	if s.Slow {
		note("took %s for one answer, for which each request waits", s.RoundTrip.Round(100*time.Microsecond))
	}
}
