package redisstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// maxAudit is about how many records the audit log keeps.
const maxAudit = 1000

// decide replaces the decisions, and appends to the audit log and to the purge log.
var decide = redis.NewScript(`
local v, id = unpack(redis.call('HMGET', KEYS[1], 'v', 'id'))
if (v or '0') .. ' ' .. (id or '') ~= ARGV[1] then
	return 'changed'
end
local c = cjson.decode(ARGV[5])
for _, name in ipairs(c.without) do
	if redis.call('HEXISTS', KEYS[4], name) == 1 then
		return 'counted'
	end
end
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'id', ARGV[3], 's', ARGV[4])
for _, name in ipairs(c.forget) do
	redis.call('HDEL', KEYS[4], name)
end
for _, record in ipairs(c.audit) do
	redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[6], '*', 'r', record)
end
return redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[7], '*', unpack(ARGV, 8))`)

// Decide makes a change, if From is still the latest version, and returns the new version. From
// then on every look reads it, so that no instance acts on an earlier one. After an error the
// change may have been made all the same, unless it is [ErrChanged], [ErrCounted] or [ErrDown].
func (r *Store) Decide(ctx context.Context, c Change) (Decisions, error) {
	now := Decisions{max(c.From.Version, c.Above) + 1, rand.Text(), c.State}
	lists, err := json.Marshal(map[string][]string{"audit": texts(c.Audit), "forget": orNone(c.Forget), "without": orNone(c.Without)})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var got string
	err = r.try(ctx, patience, func(ctx context.Context, client redis.UniversalClient) (err error) {
		keys := []string{r.decisionsKey(), r.auditKey(), r.logKey(), r.numbersKey()}
		got, err = decide.Run(ctx, client, keys, c.From.text(), now.Version, now.ID, c.State, lists, maxAudit,
			r.options.LogLength, fieldDecisions, now.Version, fieldEpoch, *r.epoch.Load()).Text()
		return err
	})
	switch {
	case err != nil:
		return Decisions{}, fmt.Errorf("redis: decide: %w", err)
	case got == "changed":
		return Decisions{}, ErrChanged
	case got == "counted":
		return Decisions{}, ErrCounted
	}
	return now, nil
}

// Latest reads the latest version.
func (r *Store) Latest(ctx context.Context) (d Decisions, err error) {
	err = r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		d, err = r.readDecisions(ctx, c)
		return err
	})
	if err != nil {
		return Decisions{}, fmt.Errorf("redis: read the decisions: %w", err)
	}
	return d, nil
}

func (r *Store) readDecisions(ctx context.Context, node redis.Cmdable) (Decisions, error) {
	got, err := node.HMGet(ctx, r.decisionsKey(), "v", "id", "s").Result()
	if err != nil {
		return Decisions{}, err
	}
	return decisionsOf(got)
}

// Audit returns the latest records of the audit log, the latest first.
func (r *Store) Audit(ctx context.Context, most int64) ([][]byte, error) {
	var items []redis.XMessage
	err := r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		items, err = c.XRevRangeN(ctx, r.auditKey(), "+", "-", most).Result()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("redis: read the audit log: %w", err)
	}
	var records [][]byte
	for _, item := range items {
		if text, ok := item.Values["r"].(string); ok {
			records = append(records, []byte(text))
		}
	}
	return records, nil
}

func texts(records [][]byte) []string {
	all := []string{}
	for _, r := range records {
		all = append(all, string(r))
	}
	return all
}

// orNone returns the list, or an empty one: to Lua null is no list.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
