package redisstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Server is a report of a server about itself.
type Server struct {
	Version   string        // "" if unknown
	Policy    string        // maxmemory-policy; "" if unknown
	Unlimited bool          // it has no maxmemory
	RoundTrip time.Duration // of one answer
	Slow      bool          // the round trip is longer than half of [Options.Brief]
	Err       error         // of the request for the other fields, which are then unknown
}

// Check runs the commands that a store needs: it reads the log, which writes, and takes from a quota. It
// returns the servers that answer, of a cluster its masters, and the first error, which contains no
// password. It takes seconds at most, and ends with [Store.Close].
func (r *Store) Check(ctx context.Context) (servers []Server, err error) {
	ctx, cancel := context.WithTimeout(ctx, 8*patience)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	// A slow first connection serves a later log read, and a Redis that was down works again after [settle].
	for err = r.ReadLog(); (timedOut(err) || errors.Is(err, errReturning)) && ctx.Err() == nil; err = r.ReadLog() {
		_ = pause(ctx, settle/20)
	}
	for again := err == nil; again; again = timedOut(err) && ctx.Err() == nil { // likewise
		_, err = r.Take(ctx, "check", time.Second, 1)
	}
	c := r.dial(nil) // the client in use may be replaced
	defer func() { _ = c.Close() }()
	var mu sync.Mutex // masters are asked on goroutines
	inspect := func(ctx context.Context, node redis.Cmdable) error {
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
		_ = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return inspect(ctx, node) })
	} else {
		_ = inspect(ctx, c)
	}
	return servers, err
}
