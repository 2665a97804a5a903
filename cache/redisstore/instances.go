package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Instance is one of the instances that share this Redis and prefix, as it has announced itself.
type Instance struct {
	Name    string
	Version string    // of the program
	Seen    time.Time // when it announced itself, by the clock of Redis
}

// forgotten is how long an instance that has announced itself is listed.
const forgotten = time.Minute

// Announce makes this instance known to the others, after a read of the log, and returns all that were
// announced lately, by name. version has no space.
func (r *Store) Announce(ctx context.Context, name, version string) (instances []Instance, err error) {
	if err = r.ReadLog(); err != nil { // which also reads the clock
		return nil, err
	}
	now := r.Now()
	key := r.options.Prefix + ":announced"
	return ask(ctx, r.base, "instances", r.options.Timeout, func(ctx context.Context, c redis.UniversalClient) ([]Instance, error) {
		p := c.TxPipeline()
		p.ZAdd(ctx, key, redis.Z{Score: float64(now.UnixMilli()), Member: version + " " + name})
		p.ZRemRangeByScore(ctx, key, "-inf", fmt.Sprint(now.Add(-forgotten).UnixMilli()))
		listed := p.ZRangeWithScores(ctx, key, 0, -1)
		p.Expire(ctx, key, time.Hour)
		_, err := p.Exec(ctx)
		for _, z := range listed.Val() {
			version, name, _ := strings.Cut(fmt.Sprint(z.Member), " ")
			instances = append(instances, Instance{Name: name, Version: version, Seen: time.UnixMilli(int64(z.Score))})
		}
		slices.SortFunc(instances, func(a, b Instance) int { return cmp.Compare(a.Name, b.Name) })
		return instances, err
	})
}
