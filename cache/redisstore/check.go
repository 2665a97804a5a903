package redisstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Report has what [Store.Check] finds. Texts contain no password.
type Report struct {
	Servers   int           `json:"servers"`          // that answered; of a cluster its masters
	Version   string        `json:"version"`          // of one of them; "" if unknown
	Policy    string        `json:"maxmemory_policy"` // "" if unknown
	RoundTrip time.Duration `json:"round_trip_ns"`    // of the slowest server
	Problems  []string      `json:"problems"`         // the cache does not work as documented
	Notes     []string      `json:"notes"`            // it does, but differently from what most want
}

// remedies are what to do about an error of Redis that contains a text.
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

// Check connects to Redis, runs the commands that a store needs on keys of its own below the prefix,
// and reads version and settings. It takes seconds at most, ends with [Store.Close], and does not
// affect whether Redis counts as down.
func (r *Store) Check(ctx context.Context) *Report {
	ctx, cancel := context.WithTimeout(ctx, 8*patience)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	report := &Report{Problems: []string{}, Notes: []string{}}
	c := r.dial(nil)
	defer func() { _ = c.Close() }()
	if err := r.tryCommands(ctx, c); err != nil {
		for _, known := range remedies {
			if strings.Contains(err.Error(), known.text) {
				report.Problems = append(report.Problems, fmt.Sprintf("%s (%v)", known.remedy, err))
				break
			}
		}
	}
	var mu sync.Mutex // masters are asked on goroutines
	ask := func(ctx context.Context, node redis.Cmdable) error {
		if err := node.Ping(ctx).Err(); err != nil { // which connects
			return err
		}
		began := time.Now()
		info := node.Info(ctx)
		took := time.Since(began)
		mu.Lock()
		defer mu.Unlock()
		report.add(info, took, r.options.Brief)
		return nil
	}
	if cluster, ok := c.(*redis.ClusterClient); ok {
		_ = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return ask(ctx, node) })
	} else {
		_ = ask(ctx, c)
	}
	return report
}

// tryCommands runs each kind of command, and returns the first error.
func (r *Store) tryCommands(ctx context.Context, c redis.UniversalClient) error {
	if timedOut(c.Ping(ctx).Err()) { // a slow first connection serves the next call
		if err := c.Ping(ctx).Err(); err != nil {
			return err
		}
	}
	base := r.options.Prefix + ":check:{" + rand.Text() + "}"
	quota, log := base+":quota", base+":log"
	p := c.Pipeline()
	p.Set(ctx, quota, "0", time.Minute)
	takeOne.Eval(ctx, p, []string{quota}, 1, 1)
	p.XAdd(ctx, &redis.XAddArgs{Stream: log, Values: []string{fieldRecord, ""}})
	p.XRange(ctx, log, "-", "+")
	p.Del(ctx, quota, log)
	p.Time(ctx)
	_, err := p.Exec(ctx)
	return err
}

// add adds what a server reports about itself.
func (p *Report) add(answer *redis.StringCmd, took, brief time.Duration) {
	info := answer.Val()
	version, policy := infoField(info, "redis_version"), infoField(info, "maxmemory_policy")
	p.Servers++
	p.RoundTrip, p.Version, p.Policy = max(p.RoundTrip, took), version, policy
	var major, minor int
	_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	limited := infoField(info, "maxmemory") != "0"
	for _, finding := range []struct {
		found bool
		to    *[]string
		text  string
	}{
		{answer.Err() != nil, &p.Notes, fmt.Sprintf("does not report its version and settings: %v", answer.Err())},
		{err == nil && (major < 6 || major == 6 && minor < 2), &p.Problems,
			fmt.Sprintf("has version %s: 6.2 or later is required", version)},
		{strings.HasPrefix(policy, "allkeys-"), &p.Problems,
			fmt.Sprintf("may evict the purge log (maxmemory-policy %s), so that purges are lost: set volatile-lru", policy)},
		{policy == "noeviction" && limited, &p.Notes, "is not used while it is full (maxmemory-policy noeviction): set volatile-lru"},
		{answer.Err() == nil && !limited, &p.Notes, "has no maxmemory: it grows until the machine has no memory left"},
		{took > brief/2, &p.Notes, fmt.Sprintf("took %s for one answer: each request waits for one, "+
			"and stored answers that take longer than %s are not used", took.Round(100*time.Microsecond), brief)},
	} {
		if finding.found {
			*finding.to = append(*finding.to, finding.text)
		}
	}
}
