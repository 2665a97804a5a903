package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Decisions are what the instances have decided together, beside the purge log: one text, which
// only a change from the latest version replaces. The log announces each version, and a check of
// its end reads the latest one. So an instance that has looked knows the decisions.
type Decisions struct {
	Version uint64 // 0: nothing has been decided
	ID      string // of the change that made this version; random
	State   []byte // as the writer encoded it
}

// same reports whether o is the same version, made by the same change.
func (d Decisions) same(o Decisions) bool { return d.Version == o.Version && d.ID == o.ID }

// Change replaces a version of the decisions.
type Change struct {
	From  Decisions // the version that it is made from
	Above uint64    // the new version is above this one, too
	State []byte

	Audit   [][]byte // records for the audit log
	Forget  []string // names whose numbers start again at 0, see [Store.Tally]
	Without []string // names that must have no number: else [ErrCounted]
}

// The errors of Decide.
var (
	ErrChanged = errors.New("redis: the decisions have changed")
	ErrCounted = errors.New("redis: the change needs names without numbers")
)

// maxAudit is about how many records the audit log keeps.
const maxAudit = 1000

// Decide makes a change, if From is still the latest version, and returns the new version. From
// then on every look reads it, so that no instance acts on an earlier one. After an error the
// change may have been made all the same, unless it is [ErrChanged], [ErrCounted] or [ErrDown].
func (r *Store) Decide(ctx context.Context, c Change) (Decisions, error) {
	now := Decisions{max(c.From.Version, c.Above) + 1, rand.Text(), c.State}
	watched := []string{r.decisionsKey()}
	if len(c.Without) > 0 {
		watched = append(watched, r.numbersKey())
	}
	err := r.whileUnchanged(ctx, "decide", watched, func(ctx context.Context, tx *redis.Tx, latest Decisions) error {
		if !latest.same(c.From) {
			return ErrChanged
		}
		numbers, err := tx.HGetAll(ctx, r.numbersKey()).Result()
		if err != nil {
			return err
		}
		for _, name := range c.Without {
			if numbers[name] != "" {
				return ErrCounted
			}
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.HSet(ctx, r.decisionsKey(), "v", now.Version, "id", now.ID, "s", now.State)
			for _, name := range c.Forget {
				p.HDel(ctx, r.numbersKey(), name)
			}
			for _, record := range c.Audit {
				p.XAdd(ctx, &redis.XAddArgs{Stream: r.auditKey(), MaxLen: maxAudit, Approx: true, Values: []any{fieldRecord, record}})
			}
			p.XAdd(ctx, r.item("*", *r.epoch.Load(), fieldDecisions, now.Version))
			return nil
		})
		return err
	})
	if errors.Is(err, redis.TxFailedErr) {
		err = ErrChanged
	}
	if err != nil {
		return Decisions{}, err
	}
	return now, nil
}

// whileUnchanged runs do with the latest decisions. A transaction in it fails if one of the keys has
// changed since.
func (r *Store) whileUnchanged(ctx context.Context, doing string, keys []string,
	do func(context.Context, *redis.Tx, Decisions) error) error {
	_, err := ask(ctx, r, doing, patience, func(ctx context.Context, c redis.UniversalClient) (any, error) {
		return nil, c.Watch(ctx, func(tx *redis.Tx) error {
			latest, err := decisionsOf(tx.HMGet(ctx, r.decisionsKey(), "v", "id", "s"))
			if err != nil {
				return err
			}
			return do(ctx, tx, latest)
		}, keys...)
	})
	return err
}

// decisionsOf reads the fields v, id and s.
func decisionsOf(read *redis.SliceCmd) (d Decisions, err error) {
	fields, err := read.Result()
	if err != nil || fields[0] == nil {
		return Decisions{}, err
	}
	version, _ := fields[0].(string)
	state, _ := fields[2].(string)
	d.State = []byte(state)
	d.ID, _ = fields[1].(string)
	if d.Version, err = strconv.ParseUint(version, 10, 64); err != nil {
		return Decisions{}, fmt.Errorf("redis: version of the decisions: %w", err)
	}
	return d, nil
}

// Audit returns the latest records of the audit log, the latest first.
func (r *Store) Audit(ctx context.Context, most int64) ([][]byte, error) {
	return ask(ctx, r, "read the audit log", patience, func(ctx context.Context, c redis.UniversalClient) (records [][]byte, err error) {
		items, err := c.XRevRangeN(ctx, r.auditKey(), "+", "-", most).Result()
		for _, item := range items {
			text, _ := item.Values[fieldRecord].(string)
			records = append(records, []byte(text))
		}
		return records, err
	})
}

// Tally has what an instance adds to the numbers of all.
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

// Tally adds to the numbers, and returns the sums of all instances: for the window, and ever. Names
// must be bounded: numbers of the window expire with it.
func (r *Store) Tally(ctx context.Context, t Tally) (Sums, error) {
	part := max(t.Window/windowParts, time.Millisecond)
	now := r.Now().UnixNano() / int64(part)
	key := func(i int64) string {
		return fmt.Sprintf("%s:%d:%d", r.besideLog("recent"), part.Milliseconds(), now-i)
	}
	sums := Sums{Recent: map[string]int64{}, Ever: map[string]int64{}}
	err := r.whileUnchanged(ctx, "count", []string{r.decisionsKey()}, func(ctx context.Context, tx *redis.Tx, latest Decisions) error {
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
	return sums, err
}

func add(sums map[string]int64, numbers *redis.MapStringStringCmd) {
	for name, text := range numbers.Val() {
		n, _ := strconv.ParseInt(text, 10, 64)
		sums[name] += n
	}
}
