package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

// purgeCount is the number of measured purges.
const purgeCount = 600

// followers are the numbers of instances, the writer included.
var followers = []int{1, 8, 32}

// lookEvery is how often each other instance looks at the log meanwhile, as if requests came.
const lookEvery = 10 * time.Millisecond

// purges measures the time of a purge, which is what a write waits for, and its cost for Redis. The
// other instances are caches in another process.
func (b *lab) purges(ctx context.Context) ([]check, error) {
	url, err := redisServer(ctx, b.machine)
	if err != nil {
		return nil, err
	}
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	admin := redis.NewClient(o)
	defer admin.Close()
	var checks []check
	for _, n := range followers {
		some, err := b.purgesOf(ctx, url, admin, n)
		if err != nil {
			return nil, fmt.Errorf("%d instances: %w", n, err)
		}
		checks = append(checks, some...)
	}
	return checks, nil
}

func (b *lab) purgesOf(ctx context.Context, url string, admin *redis.Client, instances int) ([]check, error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	if instances > 1 {
		c := b.machine.command(ctx, b.machine.self, "follow", "-redis", url, "-instances", strconv.Itoa(instances-1))
		others, err := b.machine.start(c)
		if err != nil {
			return nil, err
		}
		defer others.wait()
		defer others.hold.Close()
	}
	r, err := redisstore.Open(redisstore.Options{URLs: []string{url}, Timeout: 10 * time.Second, Brief: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := cache.New(cache.Options{Shared: cache.Redis(r)})
	defer c.Close()
	purge := func() { c.Purge(ctx, cache.Purge{Tags: []string{"events:1"}}) }
	purge() // makes connections

	if err := admin.ConfigResetStat(ctx).Err(); err != nil {
		return nil, err
	}
	durations := make([]time.Duration, purgeCount)
	for i := range durations {
		began := time.Now()
		purge()
		durations[i] = time.Since(began)
	}
	commands, err := calls(ctx, admin, "cmdstat_xadd")
	if err != nil {
		return nil, err
	}
	slices.Sort(durations)
	part := func(n int) float64 { return float64(durations[len(durations)*n/100].Microseconds()) / 1000 }
	name := fmt.Sprintf("purge, %d instances", instances)
	if instances == 1 {
		name = "purge, 1 instance"
	}
	return []check{
		{Name: name + ", p50", Got: part(50), Unit: "ms"},
		{Name: name + ", p99", Got: part(99), Unit: "ms", Limit: 50},
		{Name: name + ": commands of the writer", Got: float64(commands) / purgeCount, Unit: "a purge"},
	}, nil
}

// calls returns how often a server has run a command.
func calls(ctx context.Context, admin *redis.Client, command string) (int, error) {
	info := admin.InfoMap(ctx, "commandstats")
	_, after, _ := strings.Cut(info.Item("Commandstats", command), "calls=")
	number, _, _ := strings.Cut(after, ",")
	n, _ := strconv.Atoi(number)
	return n, info.Err()
}

// followPurges runs instances that look at the purge log.
func followPurges(ctx context.Context, p process) error {
	var url string
	var instances int
	err := p.flags(func(f *flag.FlagSet) {
		f.StringVar(&url, "redis", "", "")
		f.IntVar(&instances, "instances", 1, "")
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, p.stdin) // ends when the parent closes it
		cancel()
	}()
	for range instances {
		r, err := redisstore.Open(redisstore.Options{URLs: []string{url}})
		if err != nil {
			return err
		}
		defer r.Close()
		c := cache.New(cache.Options{Shared: cache.Redis(r)})
		defer c.Close()
		go func() {
			again := time.NewTicker(lookEvery)
			defer again.Stop()
			for ctx.Err() == nil {
				c.Look()
				<-again.C
			}
		}()
	}
	<-ctx.Done()
	return nil
}
