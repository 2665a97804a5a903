package redisstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Beside the instances that follow the log (live.go) a second sorted set has those that may
// act on the decisions: each is scored with the end of its lease, which every check of the log
// renews. An instance whose lease is over must not act on what it knows ([Store.Lease]). A
// member is an ID and a name for operators.
//
// An instance of a release without decisions follows the log and is no member. It serves by its
// configuration, so that a change must not count on it, although it acknowledges all records.

// earlier precedes, in the place of an ID, what such an instance is called.
const earlier = "?"

// membersOf is a Lua function that returns the members, and the instances that are none.
const membersOf = `
local function membersOf(members, live)
	local t = redis.call('TIME')
	local now = string.format('(%.0f', t[1] * 1000 + math.floor(t[2] / 1000))
	local all, known = redis.call('ZRANGEBYSCORE', members, now, '+inf'), {}
	for _, m in ipairs(all) do
		known[string.match(m, '^%S+')] = true
	end
	for _, id in ipairs(redis.call('ZRANGEBYSCORE', live, now, '+inf')) do
		if not known[id] then
			table.insert(all, '` + earlier + ` an instance of an earlier release (' .. string.sub(id, 1, 6) .. ')')
		end
	end
	return all
end
`

func (r *Store) member() string { return r.id + " " + r.options.Name }

// Lease is how long after it last knew the end of the log this instance may act on decisions.
func (r *Store) Lease() time.Duration { return r.options.Lease }

// leased is how long the registration lasts: an instance counts its lease from before the
// check that renews it, so that it ends earlier.
func (r *Store) leased() time.Duration { return r.options.Lease + r.options.PurgeWait }

// membersEvery is how often leases are read while an acknowledgement is missing.
const membersEvery = 250 * time.Millisecond

// awaitMembers waits until all of members but this instance have acknowledged a change, or
// have no lease any more. It returns the names of the others when ctx ends.
func (r *Store) awaitMembers(ctx context.Context, set *ackSet, members []string) []string {
	for {
		limited, cancel := context.WithTimeout(ctx, membersEvery)
		all := set.await(limited, r.id, idsOf(members))
		cancel()
		if all {
			return nil
		}
		if ctx.Err() != nil {
			return set.missing(r.id, members)
		}
		if now, err := r.members(ctx); err == nil {
			members = both(members, now)
		}
	}
}

// members returns the instances that have a lease.
func (r *Store) members(ctx context.Context) (all []string, err error) {
	err = r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		all, err = leaseholders.Run(ctx, c, []string{r.membersKey(), r.liveKey()}).StringSlice()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("redis: read the members: %w", err)
	}
	return all, nil
}

var leaseholders = redis.NewScript(membersOf + `return membersOf(KEYS[1], KEYS[2])`)

// leave gives up the lease, so that no change waits for it.
func (r *Store) leave() {
	if r.options.Decided == nil {
		return
	}
	_ = r.try(r.ctx, patience, func(ctx context.Context, c redis.UniversalClient) error {
		return leaving.Run(ctx, c, []string{r.membersKey(), r.liveKey()}, r.member(), r.id).Err()
	})
}

var leaving = redis.NewScript(`
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('ZREM', KEYS[2], ARGV[2])`)

// missing returns the names of the members but self that have not acknowledged.
func (s *ackSet) missing(self string, members []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, m := range members {
		if id, name, _ := strings.Cut(m, " "); id != self && !s.from[id] {
			names = append(names, name)
		}
	}
	return names
}

func idsOf(members []string) []string {
	var ids []string
	for _, m := range members {
		id, _, _ := strings.Cut(m, " ")
		ids = append(ids, id)
	}
	return ids
}

// both returns what is in both lists: an instance that joins later reads the latest version
// first.
func both(a, b []string) []string {
	in := map[string]bool{}
	for _, m := range b {
		in[m] = true
	}
	var all []string
	for _, m := range a {
		if in[m] {
			all = append(all, m)
		}
	}
	return all
}
