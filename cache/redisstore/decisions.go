package redisstore

import (
	"errors"
	"fmt"
	"strconv"
)

// Decisions are what the instances have decided together, beside the purge log: one text,
// which only a change from the latest version replaces. Every instance that follows the log
// reads a new version before it acknowledges it, and compares the version with its own
// whenever it checks the end of the log. So an instance that knows the end of the log knows
// the decisions.
type Decisions struct {
	Version uint64 // 0: nothing has been decided
	ID      string // of the change that made this version; random
	State   []byte // as the writer encoded it
}

// same reports whether o is the same version, made by the same change.
func (d Decisions) same(o Decisions) bool { return d.Version == o.Version && d.ID == o.ID }

// text identifies a version to the scripts.
func (d Decisions) text() string { return strconv.FormatUint(d.Version, 10) + " " + d.ID }

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

<<<<<<< HEAD
// decide replaces the decisions, appends to the audit log and to the purge log, and returns
// the position there and the members.
var decide = redis.NewScript(membersOf + `
local v, id = unpack(redis.call('HMGET', KEYS[1], 'v', 'id'))
if (v or '0') .. ' ' .. (id or '') ~= ARGV[1] then
	return {'changed'}
end
local c = cjson.decode(ARGV[5])
for _, name in ipairs(c.without) do
	if redis.call('HEXISTS', KEYS[5], name) == 1 then
		return {'counted'}
	end
end
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'id', ARGV[3], 's', ARGV[4])
for _, name in ipairs(c.forget) do
	redis.call('HDEL', KEYS[5], name)
end
for _, record in ipairs(c.audit) do
	redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[6], '*', 'r', record)
end
local at = redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[7], '*', unpack(ARGV, 8))
local members = membersOf(KEYS[4], KEYS[6])
table.insert(members, 1, at)
return members`)

// Decide makes a change, if From is still the latest version. It returns the new version, and
// acknowledged, which must be called: it waits until every other instance has read that
// version, or may no longer act on an earlier one, and returns the names of those for which
// neither holds when its context ends. After an error the change may have been made all the
// same, unless it is [ErrChanged], [ErrCounted] or [ErrDown].
func (r *Store) Decide(ctx context.Context, c Change) (now Decisions, acknowledged func(context.Context) []string, err error) {
	_, _ = r.acknowledged.open(ctx, r) // without it the wait lasts until the leases expire
	now = Decisions{max(c.From.Version, c.Above) + 1, rand.Text(), c.State}
	applying, token, forget := r.acks.expect(r.id)
	lists, err := json.Marshal(map[string][]string{"audit": texts(c.Audit), "forget": orNone(c.Forget), "without": orNone(c.Without)})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var got []string
	err = r.try(ctx, patience, func(ctx context.Context, client redis.UniversalClient) (err error) {
		keys := []string{r.decisionsKey(), r.auditKey(), r.logKey(), r.membersKey(), r.numbersKey(), r.liveKey()}
		got, err = decide.Run(ctx, client, keys, c.From.text(), now.Version, now.ID, c.State, lists, maxAudit,
			r.options.LogLength, fieldDecisions, now.Version, fieldEpoch, *r.epoch.Load(), fieldToken, token).StringSlice()
		return err
	})
	switch {
	case err != nil:
		err = fmt.Errorf("redis: decide: %w", err)
	case got[0] == "changed":
		err = ErrChanged
	case got[0] == "counted":
		err = ErrCounted
	}
	if err != nil {
		forget()
		return Decisions{}, nil, err
	}
	return now, func(ctx context.Context) []string {
		defer forget()
		return r.awaitMembers(ctx, applying, got[1:])
	}, nil
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

=======
>>>>>>> main
// decisionsOf reads the fields v, id and, if it was read, s.
func decisionsOf(fields []any) (d Decisions, err error) {
	if len(fields) < 2 || fields[0] == nil {
		return Decisions{}, nil
	}
	version, _ := fields[0].(string)
	d.ID, _ = fields[1].(string)
	if d.Version, err = strconv.ParseUint(version, 10, 64); err != nil {
		return Decisions{}, fmt.Errorf("redis: version of the decisions: %w", err)
	}
	if len(fields) > 2 {
		state, _ := fields[2].(string)
		d.State = []byte(state)
	}
	return d, nil
}
