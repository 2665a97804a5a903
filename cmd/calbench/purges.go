package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

const (
	purgeCount   = 600
	readLogEvery = 10 * time.Millisecond // how often each other instance reads the log meanwhile, as if requests came
)

// measurePurges measures the records of a write, for which the client waits: the announcement before the call
// to the site and the purge after it. The other instances are caches in this process.
func measurePurges(ctx context.Context, b *lab, g group) table {
	t := table{title: g.title, header: []string{"", "p50", "p99"}}
	url, err := b.redis(ctx)
	if errors.Is(err, errMissing) {
		return t
	}
	for _, n := range []int{1, 8, 32} {
		name := fmt.Sprintf("the records of a write, instances: %d", n)
		var durations []time.Duration
		if err == nil {
			durations, err = purgesOf(ctx, url, n)
		}
		if err != nil {
			t.fail(name, err)
			continue
		}
		t.rows = append(t.rows, []string{name, percentile(durations, 50).String(), percentile(durations, 99).String()})
	}
	return t
}

func purgesOf(ctx context.Context, url string, instances int) (durations []time.Duration, err error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	var first *cache.Cache
	for i := range instances {
		r, err := redisstore.Open(redisstore.Options{URLs: []string{url}, Timeout: 10 * time.Second, Brief: 10 * time.Second})
		if err != nil {
			return nil, err
		}
		defer r.Close()
		c := cache.New(cache.Options{Shared: r})
		defer c.Close()
		if i == 0 {
			first = c
			continue
		}
		go func() {
			again := time.NewTicker(readLogEvery)
			defer again.Stop()
			for ctx.Err() == nil {
				c.ReadLog()
				<-again.C
			}
		}()
	}
	write := func() {
		tags := []string{"events:1"}
		first.Announce(ctx, tags).Purge(ctx, cache.Purge{Tags: tags, From: cache.FromWrite})
	}
	write() // makes connections
	for range purgeCount {
		began := time.Now()
		write()
		durations = append(durations, time.Since(began))
	}
	return durations, ctx.Err()
}
