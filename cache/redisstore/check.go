package redisstore

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Server has what a server reports about itself.
type Server struct {
	Version   string        // "" if unknown
	Policy    string        // maxmemory-policy; "" if unknown
	Unlimited bool          // it has no maxmemory
	RoundTrip time.Duration // of one answer
	Slow      bool          // the round trip is longer than half of [Options.Brief]
	Err       error         // why the rest is not known; nil: it is
}

// Check connects to Redis, and runs the commands that a store needs on keys of its own below the prefix.
// It returns the servers that answer, of a cluster its masters, and the first error, which contains no
// password. It takes seconds at most, ends with [Store.Close], and does not affect whether Redis counts as down.
func (r *Store) Check(ctx context.Context) (servers []Server, err error) {
	ctx, cancel := context.WithTimeout(ctx, 8*patience)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	c := r.dial(nil)
	defer func() { _ = c.Close() }()
	err = r.tryCommands(ctx, c)
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
		servers = append(servers, Server{
			Version: infoField(info.Val(), "redis_version"), Policy: infoField(info.Val(), "maxmemory_policy"),
			Unlimited: infoField(info.Val(), "maxmemory") == "0", RoundTrip: took, Slow: took > r.options.Brief/2, Err: info.Err(),
		})
		return nil
	}
	if cluster, ok := c.(*redis.ClusterClient); ok {
		_ = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return ask(ctx, node) })
	} else {
		_ = ask(ctx, c)
	}
	return servers, err
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
