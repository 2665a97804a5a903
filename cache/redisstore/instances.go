package redisstore

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// Instance is one of the instances that share this Redis and prefix, as it has announced itself.
type Instance struct {
	Name    string    `json:"-"`
	Version string    `json:"version"` // of the program
	Seen    time.Time `json:"seen"`    // when it announced itself, by the clock of Redis
	Looked  time.Time `json:"looked"`  // when it last read the purge log; zero: not yet
}

// forgotten is how long an instance that has announced itself is listed.
const forgotten = time.Minute

// Announce makes this instance known to the others, and returns all that were announced lately, by
// name.
func (r *Store) Announce(ctx context.Context, name, version string) ([]Instance, error) {
	return ask(ctx, r, "instances", r.options.Timeout, func(ctx context.Context, c redis.UniversalClient) (all []Instance, err error) {
		key := r.options.Prefix + ":instances"
		now, err := c.Time(ctx).Result()
		if err != nil {
			return nil, err
		}
		self := Instance{Name: name, Version: version, Seen: now}
		if last := r.last.Load(); last != nil {
			self.Looked = now.Add(-time.Since(*last))
		}
		value, _ := json.Marshal(self) // never fails
		known, err := c.HGetAll(ctx, key).Result()
		if err != nil {
			return nil, err
		}
		known[name] = string(value)
		var gone []string
		for name, value := range known {
			one := Instance{Name: name}
			if json.Unmarshal([]byte(value), &one) != nil || now.Sub(one.Seen) > forgotten {
				gone = append(gone, name)
				continue
			}
			all = append(all, one)
		}
		slices.SortFunc(all, func(a, b Instance) int { return cmp.Compare(a.Name, b.Name) })
		p := c.Pipeline()
		p.HSet(ctx, key, name, value)
		if gone != nil {
			p.HDel(ctx, key, gone...)
		}
		p.Expire(ctx, key, time.Hour)
		_, err = p.Exec(ctx)
		return all, err
	})
}
