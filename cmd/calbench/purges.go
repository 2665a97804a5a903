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

// followers are the numbers of instances that acknowledge a purge, the writer included.
var followers = []int{1, 2, 8, 32}

// purges measures the time until every instance has acknowledged a purge, and its cost for Redis. The others are caches in another process.
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
	r, err := redisstore.Open(redisstore.Options{URLs: []string{url}, Budget: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := cache.New(cache.Options{Shared: cache.Redis(r)})
	defer c.Close()
	for r.Stats().Followers != int64(instances) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
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
	commands, err := purgeCommands(ctx, admin)
	if err != nil {
		return nil, err
	}
	slices.Sort(durations)
	part := func(n int) float64 { return float64(durations[len(durations)*n/100].Microseconds()) / 1000 }
	name := fmt.Sprintf("purge acknowledged by %d instances", instances)
	if instances == 1 {
		name = "purge, 1 instance"
	}
	return []check{
		{Name: name + ", p50", Got: part(50), Unit: "ms"},
		{Name: name + ", p99", Got: part(99), Unit: "ms", Limit: 50},
		{Name: name + ": commands of Redis", Got: float64(commands) / purgeCount, Unit: "a purge"},
	}, nil
}

// purgeCommands counts what purges cost: the append, and for each other instance a read
// of the log and an acknowledgement. The checks of the log, which cost the same without
// purges, are transactions with one read each.
func purgeCommands(ctx context.Context, admin *redis.Client) (total int, err error) {
	info := admin.InfoMap(ctx, "commandstats")
	calls := func(command string) int {
		_, after, _ := strings.Cut(info.Item("Commandstats", "cmdstat_"+command), "calls=")
		n, _, _ := strings.Cut(after, ",")
		number, _ := strconv.Atoi(n)
		return number
	}
	return calls("evalsha") + calls("publish") + calls("xread") - calls("exec"), info.Err()
}

// followPurges runs instances that follow the purge log.
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
		defer cache.New(cache.Options{Shared: cache.Redis(r)}).Close()
	}
	<-ctx.Done()
	return nil
}
