package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// purges is how many news are measured.
const purges = 600

// news measures how long a purge takes to be heard of in another process: from
// the call that appends it here to its being applied there. Both read the clock
// of this machine.
func (b *lab) news(ctx context.Context) ([]check, error) {
	url, err := redisServer(ctx, b.machine)
	if err != nil {
		return nil, err
	}
	r, err := cache.OpenRedis(cache.RedisOptions{URLs: []string{url}, Budget: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := b.machine.command(ctx, b.machine.self, "hear", "-redis", url)
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if _, err := b.machine.start(c); err != nil {
		return nil, err
	}
	heard := bufio.NewReader(out)
	if _, err := heard.ReadString('\n'); err != nil {
		return nil, fmt.Errorf("hear did not start: %w", err)
	}
	took := make([]time.Duration, purges)
	for i := range took {
		began := time.Now()
		if _, err := r.Append(ctx, []byte("hard2\nevents:1")); err != nil {
			return nil, err
		}
		line, err := heard.ReadString('\n')
		if err != nil {
			return nil, err
		}
		at, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			return nil, err
		}
		took[i] = time.Unix(0, at).Sub(began)
	}
	slices.Sort(took)
	part := func(n int) float64 { return float64(took[len(took)*n/100].Microseconds()) / 1000 }
	return []check{
		{Name: "purge heard of in another process, p50", Got: part(50), Unit: "ms"},
		{Name: "purge heard of in another process, p99", Got: part(99), Unit: "ms", Limit: 5},
	}, nil
}

// hear follows the purge log and tells when it hears of a purge.
func hear(ctx context.Context, p process) error {
	var url string
	if err := p.flags(func(f *flag.FlagSet) { f.StringVar(&url, "redis", "", "") }); err != nil {
		return err
	}
	r, err := cache.OpenRedis(cache.RedisOptions{URLs: []string{url}})
	if err != nil {
		return err
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, p.stdin) // ends when the parent is gone
		cancel()
	}()
	r.Follow(ctx, &ear{to: p.stdout})
	return nil
}

// ear is a follower that tells when it is told.
type ear struct {
	to    io.Writer
	ready bool
}

func (e *ear) Apply(cache.Position, []byte) {
	_, _ = fmt.Fprintln(e.to, time.Now().UnixNano())
}

// Caught says once that from here on it hears.
func (e *ear) Caught(cache.Position) {
	if !e.ready {
		e.ready = true
		_, _ = fmt.Fprintln(e.to, "ready")
	}
}

func (e *ear) Distrust(cache.Position) {}
func (e *ear) Lost()                   {}
