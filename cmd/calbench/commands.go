package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// idleTime is how long the instances get no request.
const idleTime = 10 * time.Second

// commands counts the commands that Redis runs for hits in memory, and while no request comes.
func (b *lab) commands(ctx context.Context) ([]check, error) {
	s := b.servers["facade-lane-looks"]
	if s == nil {
		return nil, fmt.Errorf("no facade with Redis: %w", b.failed["facade-lane-looks"])
	}
	o, err := redis.ParseURL(b.looksAt)
	if err != nil {
		return nil, err
	}
	admin := redis.NewClient(o)
	defer admin.Close()
	var checks []check
	for _, n := range []int{1, 64} {
		l, err := b.loadOf(bodySingle, "facade-lane-looks", "plain", n)
		if err != nil {
			return nil, err
		}
		var got sample
		ran, err := during(ctx, admin, func() (err error) {
			got, err = b.machine.drive(ctx, s, l, b.settings.seconds, 0)
			return err
		})
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("a hit in memory, lane, connections: %d", n)
		checks = append(checks, check{Name: name, Got: float64(ran) / float64(got.requests), Unit: "commands"})
	}
	ran, err := during(ctx, admin, func() error {
		select {
		case <-ctx.Done():
		case <-time.After(idleTime):
		}
		return ctx.Err()
	})
	return append(checks, check{Name: "two instances without requests, " + idleTime.String(), Got: float64(ran), Unit: "commands"}), err
}

// during returns how many commands a server runs while do does.
func during(ctx context.Context, admin *redis.Client, do func() error) (ran int, err error) {
	before, err := processed(ctx, admin)
	if err == nil {
		err = do()
	}
	if err != nil {
		return 0, err
	}
	after, err := processed(ctx, admin)
	return after - before - 1, err // without the first INFO
}

func processed(ctx context.Context, admin *redis.Client) (int, error) {
	info := admin.InfoMap(ctx, "stats")
	n, err := strconv.Atoi(info.Item("Stats", "total_commands_processed"))
	if info.Err() != nil {
		return 0, info.Err()
	}
	return n, err
}
