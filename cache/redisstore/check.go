package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Report is what [Store.Check] finds. Texts contain no password.
type Report struct {
	Servers   int           `json:"servers"`          // that answered; of a cluster its masters
	Version   string        `json:"version"`          // the oldest; "" if unknown
	Policy    string        `json:"maxmemory_policy"` // "" if unknown
	RoundTrip time.Duration `json:"round_trip_ns"`    // of the slowest server
	Problems  []string      `json:"problems"`         // the cache does not work as documented
	Notes     []string      `json:"notes"`            // it does, but differently from what most want

	mu sync.Mutex
}

func (p *Report) problem(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Problems = append(p.Problems, fmt.Sprintf(format, args...))
}

func (p *Report) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// Check connects to Redis, signs in, runs the commands that a store needs on keys of its own
// below the prefix, and reads version and settings. It takes seconds at most, ends with
// [Store.Close], and does not affect whether Redis counts as down.
func (r *Store) Check(ctx context.Context) *Report {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	report := &Report{Problems: []string{}, Notes: []string{}}
	c := r.dial(nil)
	defer func() { _ = c.Close() }()
	if err := connect(ctx, c); err != nil {
		report.problem("%s", explain(err))
		return report
	}
	r.checkCommands(ctx, c, report)
	// The callback runs on several goroutines, one a master.
	_ = eachMaster(ctx, c, func(ctx context.Context, node redis.Cmdable) error {
		r.checkServer(ctx, node, report)
		return nil
	})
	return report
}

// connect pings every master. The first round pays for dialing and finding the master.
func connect(ctx context.Context, c redis.UniversalClient) (err error) {
	for range 2 {
		if err = ping(ctx, c); err == nil {
			return nil
		}
	}
	return err
}

func ping(ctx context.Context, c redis.UniversalClient) error {
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	return eachMaster(ctx, c, func(ctx context.Context, node redis.Cmdable) error { return node.Ping(ctx).Err() })
}

func eachMaster(ctx context.Context, c redis.UniversalClient, do func(context.Context, redis.Cmdable) error) error {
	if cluster, ok := c.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return do(ctx, node) })
	}
	return do(ctx, c)
}

// explain returns why Redis cannot be used, and what to do.
func explain(err error) string {
	var dial *net.OpError
	text := err.Error()
	switch {
	case redis.IsAuthError(err), strings.HasPrefix(text, "WRONGPASS"), strings.HasPrefix(text, "NOAUTH"), strings.HasPrefix(text, "NOPERM"):
		return "refuses the credentials of the URL (" + text + "): redis://USER:PASSWORD@HOST, with special characters percent-encoded"
	case redis.IsLoadingError(err):
		return "is loading its data: it serves once that is done"
	case redis.IsMaxClientsError(err):
		return "has no connection left (" + text + "): raise its maxclients"
	case strings.Contains(text, "cluster support disabled"):
		return "is no cluster, but several URLs are configured: a single server has one URL, Sentinels have ?master_name= in each"
	case strings.HasPrefix(text, "ERR invalid DB index"), strings.HasPrefix(text, "ERR DB index is out of range"):
		return "has no database of that number: " + text
	case errors.As(err, &dial):
		return "is not reachable: " + text
	case timedOut(err):
		return fmt.Sprintf("does not answer within %s: see its address, and whether it wants TLS (rediss://) or not", 4*patience)
	}
	return "does not work: " + text
}

// checkCommands runs each kind of command once.
func (r *Store) checkCommands(ctx context.Context, c redis.UniversalClient, report *Report) {
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	base := r.options.Prefix + ":check:{" + rand.Text() + "}"
	entry, log := base+":entry", base+":log"
	defer func() { _ = c.Del(context.WithoutCancel(ctx), entry, log).Err() }()
	for _, command := range []struct {
		name string
		run  func() error
	}{
		{"SET", func() error { return c.Set(ctx, entry, "x", time.Minute).Err() }},
		{"GET", func() error { return c.Get(ctx, entry).Err() }},
		{"EVAL", func() error { return renew.Run(ctx, c, []string{entry}, "x", 60_000).Err() }},
		{"XADD", func() error { return c.XAdd(ctx, &redis.XAddArgs{Stream: log, Values: []string{"r", ""}}).Err() }},
		{"XRANGE", func() error { return c.XRange(ctx, log, "-", "+").Err() }},
		{"TIME", func() error { return c.Time(ctx).Err() }},
	} {
		if err := command.run(); err != nil {
			report.problem("%s", explainCommand(command.name, err))
			return // the next would fail in the same way
		}
	}
}

// explainCommand returns why Redis refused a command, and what to do.
func explainCommand(name string, err error) string {
	text := err.Error()
	switch {
	case strings.HasPrefix(text, "NOPERM"):
		return fmt.Sprintf("does not allow %s (%s): docs/caching.md lists the ACL that is needed", name, text)
	case strings.HasPrefix(text, "OOM"):
		return fmt.Sprintf("is full and refuses %s: raise maxmemory, or set maxmemory-policy volatile-lru", name)
	case strings.HasPrefix(text, "MISCONF"):
		return fmt.Sprintf("refuses %s since it cannot write its snapshot: see its log", name)
	case redis.IsReadOnlyError(err):
		return "is a replica and refuses writes: configure the master, or the Sentinels"
	case strings.HasPrefix(text, "MOVED"):
		return "is a node of a cluster: configure the URLs of at least two of its nodes"
	}
	return fmt.Sprintf("refuses %s: %s", name, text)
}

// checkServer reads what a server reports about itself.
func (r *Store) checkServer(ctx context.Context, c redis.Cmdable, report *Report) {
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	began := time.Now()
	info := map[string]string{}
	text, err := c.Info(ctx).Result()
	roundTrip := time.Since(began)
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		info[name] = value
	}
	report.server(info, roundTrip)
	switch version, policy := info["redis_version"], info["maxmemory_policy"]; {
	case err != nil:
		report.note("does not report its version and settings: %v", err)
	case older(version, 5, 0):
		report.problem("has version %s: 5.0 or later is required", version)
	case strings.HasPrefix(policy, "allkeys-"):
		report.problem("may evict the purge log (maxmemory-policy %s), so that purges are lost: set volatile-lru", policy)
	case policy == "noeviction" && info["maxmemory"] != "0" && info["maxmemory"] != "":
		report.note("is not used while it is full (maxmemory-policy noeviction): set volatile-lru")
	case info["maxmemory"] == "0":
		report.note("has no maxmemory: it grows until the machine has no memory left")
	}
	if roundTrip > r.options.Brief/2 {
		report.note("took %s for one answer: each request waits for one, and stored answers that take longer than %s are not used", roundTrip.Round(100*time.Microsecond), r.options.Brief)
	}
}

func (p *Report) server(info map[string]string, roundTrip time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Servers++
	p.RoundTrip = max(p.RoundTrip, roundTrip)
	p.Version, p.Policy = info["redis_version"], info["maxmemory_policy"]
}

// older reports whether a version such as "7.0.15" is older than major.minor.
func older(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a < major || a == major && b < minor)
}
