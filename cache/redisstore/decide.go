package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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
	return ask(ctx, r, "decide", patience, func(ctx context.Context, client redis.UniversalClient) (Decisions, error) {
		err := client.Watch(ctx, func(tx *redis.Tx) error { return r.decide(ctx, tx, c, now) }, watched...)
		if errors.Is(err, redis.TxFailedErr) {
			err = ErrChanged
		}
		return now, err
	})
}

// decide makes the version now in a transaction, which fails if a watched key has changed.
func (r *Store) decide(ctx context.Context, tx *redis.Tx, c Change, now Decisions) error {
	latest, err := decisionsOf(tx.HMGet(ctx, r.decisionsKey(), "v", "id", "s"))
	switch {
	case err != nil:
		return err
	case !latest.same(c.From):
		return ErrChanged
	}
	for _, name := range c.Without {
		if counted, err := tx.HExists(ctx, r.numbersKey(), name).Result(); err != nil || counted {
			return cmp.Or(err, ErrCounted)
		}
	}
	p := tx.TxPipeline()
	p.HSet(ctx, r.decisionsKey(), "v", now.Version, "id", now.ID, "s", now.State)
	for _, name := range c.Forget {
		p.HDel(ctx, r.numbersKey(), name)
	}
	for _, record := range c.Audit {
		p.XAdd(ctx, &redis.XAddArgs{Stream: r.auditKey(), MaxLen: maxAudit, Approx: true, Values: []any{fieldRecord, record}})
	}
	p.XAdd(ctx, r.item("*", *r.epoch.Load(), fieldDecisions, now.Version))
	_, err = p.Exec(ctx)
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

// addSince adds to the numbers KEYS[2], by names that each precede a value, if the latest version of the
// decisions KEYS[1] is the one that ARGV begins with.
var addSince = redis.NewScript(`
local latest = redis.call('HMGET', KEYS[1], 'v', 'id')
if (latest[1] or '0') ~= ARGV[1] or (latest[2] or '') ~= ARGV[2] then
	return 0
end
for i = 3, #ARGV, 2 do
	redis.call('HINCRBY', KEYS[2], ARGV[i], ARGV[i + 1])
end
return 1`)

// Tally adds to the numbers, and returns the sums of all instances: for the window, and ever. Names
// must be bounded: numbers of the window expire with it.
func (r *Store) Tally(ctx context.Context, t Tally) (Sums, error) {
	part := max(t.Window/windowParts, time.Millisecond)
	now := r.Now().UnixNano() / int64(part)
	key := func(i int64) string {
		return fmt.Sprintf("%s:%d:%d", r.besideLog("recent"), part.Milliseconds(), now-i)
	}
	since := []any{t.At.Version, t.At.ID}
	for name, n := range t.Since {
		since = append(since, name, n)
	}
	return ask(ctx, r, "count", patience, func(ctx context.Context, c redis.UniversalClient) (Sums, error) {
		p := c.TxPipeline()
		current := addSince.Eval(ctx, p, []string{r.decisionsKey(), r.numbersKey()}, since...)
		for name, n := range t.Ever {
			p.HIncrBy(ctx, r.numbersKey(), name, n)
		}
		for name, n := range t.Recent {
			p.HIncrBy(ctx, key(0), name, n)
		}
		p.PExpire(ctx, key(0), t.Window+part+time.Millisecond)
		ever := p.HGetAll(ctx, r.numbersKey())
		var parts [windowParts]*redis.MapStringStringCmd
		for i := range parts {
			parts[i] = p.HGetAll(ctx, key(int64(i)))
		}
		_, err := p.Exec(ctx)
		sums := Sums{Recent: map[string]int64{}, Ever: map[string]int64{}, Current: current.Val() == int64(1)}
		add(sums.Ever, ever)
		for _, part := range parts {
			add(sums.Recent, part)
		}
		return sums, err
	})
}

func add(sums map[string]int64, numbers *redis.MapStringStringCmd) {
	for name, text := range numbers.Val() {
		n, _ := strconv.ParseInt(text, 10, 64)
		sums[name] += n
	}
}
