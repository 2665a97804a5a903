package redisstore

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Tally is what an instance adds to the numbers of all.
type Tally struct {
	Window time.Duration    // for which Recent count
	Recent map[string]int64 // added to the numbers of the window, by name
	Ever   map[string]int64 // added to the numbers that stay until a [Change] forgets them
	Since  map[string]int64 // likewise, of other names, if At is still the latest version
	At     Decisions
}

// Sums are the numbers of all instances, by name.
type Sums struct {
	Recent, Ever map[string]int64
	Current      bool // [Tally.At] is the latest version, and its numbers were added
}

// windowParts is the number of parts of a window, which expire one at a time.
const windowParts = 10

// Tally adds to the numbers, and returns those of all instances: of the window, and ever. Names
// must be bounded: those of the window expire with it.
func (r *Store) Tally(ctx context.Context, t Tally) (Sums, error) {
	part := max(t.Window/windowParts, time.Millisecond)
	now := r.Now().UnixNano() / int64(part)
	key := func(i int64) string {
		return fmt.Sprintf("%s:%d:%d", r.besideLog("recent"), part.Milliseconds(), now-i)
	}
	sums := Sums{Recent: map[string]int64{}, Ever: map[string]int64{}}
	err := r.whileUnchanged(ctx, []string{r.decisionsKey()}, func(ctx context.Context, tx *redis.Tx, latest Decisions) error {
		added := map[string]int64{}
		maps.Copy(added, t.Ever)
		sums.Current = latest.same(t.At)
		if sums.Current {
			maps.Copy(added, t.Since)
		}
		var ever *redis.MapStringStringCmd
		var parts [windowParts]*redis.MapStringStringCmd
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			for name, n := range added {
				p.HIncrBy(ctx, r.numbersKey(), name, n)
			}
			for name, n := range t.Recent {
				p.HIncrBy(ctx, key(0), name, n)
			}
			p.PExpire(ctx, key(0), t.Window+part+time.Millisecond)
			ever = p.HGetAll(ctx, r.numbersKey())
			for i := range parts {
				parts[i] = p.HGetAll(ctx, key(int64(i)))
			}
			return nil
		})
		if err != nil {
			return err
		}
		add(sums.Ever, ever)
		for _, part := range parts {
			add(sums.Recent, part)
		}
		return nil
	})
	if err != nil {
		return Sums{}, fmt.Errorf("redis: count: %w", err)
	}
	return sums, nil
}

func add(sums map[string]int64, numbers *redis.MapStringStringCmd) {
	for name, text := range numbers.Val() {
		n, _ := strconv.ParseInt(text, 10, 64)
		sums[name] += n
	}
}
