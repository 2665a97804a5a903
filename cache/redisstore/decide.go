package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Replacement replaces a version of the decisions.
type Replacement struct {
	From  SharedState // the version that it is made from
	Above uint64      // the new version is above this one, too
	State string

	Audit   []string // records for the audit log
	Forget  []string // names whose numbers are removed, see [Store.Tally]
	Without []string // names that must have no number: else [ErrCounted]
}

// The errors of Decide.
var (
	ErrChanged = errors.New("redis: the decisions have changed")
	ErrCounted = errors.New("redis: the change needs names without numbers")
)

// maxAudit is about how many records the audit log keeps.
const maxAudit = 1000

// decide returns the number of an error of [Store.Decide]; 0: it has made the change. 'r', 'd' and 'e' are fields of
// the log.
var decide = redis.NewScript(`
local have = redis.call('HMGET', KEYS[1], 'v', 'id')
if (have[1] or '0') ~= ARGV[1] or (have[2] or '') ~= ARGV[2] then return 1 end
local without, forget = 10 + ARGV[9], 10 + ARGV[9] + ARGV[10] -- ends of the lists of names
for i = 11, without do
	if redis.call('HEXISTS', KEYS[2], ARGV[i]) == 1 then return 2 end
end
redis.call('HSET', KEYS[1], 'v', ARGV[3], 'id', ARGV[4], 's', ARGV[5])
for i = without + 1, forget do redis.call('HDEL', KEYS[2], ARGV[i]) end
for i = forget + 1, #ARGV do redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[8], '*', 'r', ARGV[i]) end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[7], '*', 'd', ARGV[3], 'e', ARGV[6])
return 0`)

// Decide makes a change, if From is still the latest version, and returns the new version. From
// then on every log read fetches it, so that no instance acts on an earlier one. After an error the
// change may have been made all the same, unless it is [ErrChanged], [ErrCounted] or [ErrDown].
func (r *Store) Decide(ctx context.Context, c Replacement) (SharedState, error) {
	now := SharedState{Version: max(c.From.Version, c.Above) + 1, ID: rand.Text(), State: c.State}
	args := []any{c.From.Version, c.From.ID, now.Version, now.ID, now.State, *r.epoch.Load(), r.options.LogLength, maxAudit,
		len(c.Without), len(c.Forget)}
	for _, text := range slices.Concat(c.Without, c.Forget, c.Audit) {
		args = append(args, text)
	}
	return ask(ctx, r.base, "decide", patience, func(ctx context.Context, client redis.UniversalClient) (SharedState, error) {
		keys := []string{r.besideLog("decisions"), r.besideLog("numbers"), r.besideLog("audit"), r.logKey}
		outcome, err := decide.Run(ctx, client, keys, args...).Int()
		return now, cmp.Or(err, [...]error{nil, ErrChanged, ErrCounted}[outcome])
	})
}

// Audit returns the latest records of the audit log, the latest first.
func (r *Store) Audit(ctx context.Context, limit int64) ([]string, error) {
	return ask(ctx, r.base, "read the audit log", patience, func(ctx context.Context, c redis.UniversalClient) (records []string, err error) {
		items, err := c.XRevRangeN(ctx, r.besideLog("audit"), "+", "-", limit).Result()
		for _, item := range items {
			text, _ := item.Values[fieldRecord].(string)
			records = append(records, text)
		}
		return records, err
	})
}

// NamedNumbers are numbers by name.
type NamedNumbers map[string]int64

// windowParts is the number of parts of a window, which expire one at a time.
const windowParts = 10

// Tally adds lately to the numbers that count for a window, and lasting to the numbers that stay until a [Replacement]
// forgets them, and returns the sums of all instances. Names must be bounded: a change forgets the old ones.
func (r *Store) Tally(ctx context.Context, window time.Duration, lately, lasting NamedNumbers) (recent, ever NamedNumbers, err error) {
	part := max(window/windowParts, time.Millisecond)
	now := r.Now().UnixNano() / int64(part)
	key := func(i int64) string {
		return fmt.Sprintf("%s:%d:%d", r.besideLog("recent"), part.Milliseconds(), now-i)
	}
	recent = NamedNumbers{}
	ever, err = ask(ctx, r.base, "count", patience, func(ctx context.Context, c redis.UniversalClient) (NamedNumbers, error) {
		p := c.TxPipeline()
		for name, n := range lasting {
			p.HIncrBy(ctx, r.besideLog("numbers"), name, n)
		}
		for name, n := range lately {
			p.HIncrBy(ctx, key(0), name, n)
		}
		p.PExpire(ctx, key(0), window+part+time.Millisecond)
		stays := p.HGetAll(ctx, r.besideLog("numbers"))
		var parts [windowParts]*redis.MapStringStringCmd
		for i := range parts {
			parts[i] = p.HGetAll(ctx, key(int64(i)))
		}
		_, err := p.Exec(ctx)
		for _, part := range parts {
			recent.add(part)
		}
		sums := NamedNumbers{}
		sums.add(stays)
		return sums, err
	})
	return recent, ever, err
}

func (sums NamedNumbers) add(numbers *redis.MapStringStringCmd) {
	for name, text := range numbers.Val() {
		n, _ := strconv.ParseInt(text, 10, 64)
		sums[name] += n
	}
}
