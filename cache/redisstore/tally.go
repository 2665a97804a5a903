package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Tally is what an instance adds to the numbers of all.
type Tally struct {
	Window time.Duration    // for which Recent count
	Recent map[string]int64 // added to the numbers of the window, by name
	Ever   map[string]int64 // added to the numbers that stay until a [Change] forgets them
	Since  map[string]int64 // likewise, if At is still the latest version
	At     Decisions
}

// Sums are the numbers of all instances, by name.
type Sums struct {
	Recent, Ever map[string]int64
	Current      bool // [Tally.At] is the latest version, and its numbers were added
}

// windowParts is the number of parts of a window, which expire one at a time.
const windowParts = 10

// addTally adds ARGV[1], an object with the members recent, ever and since, to the keys KEYS[2]
// (ever, and since if KEYS[1] has the version ARGV[3]) and KEYS[3] (the current part), which
// expires after ARGV[2] ms. It returns 1 if since was added, the numbers of KEYS[2], and those of
// each part.
var addTally = redis.NewScript(`
local t = cjson.decode(ARGV[1])
local v, id = unpack(redis.call('HMGET', KEYS[1], 'v', 'id'))
local current = (v or '0') .. ' ' .. (id or '') == ARGV[3]
for name, n in pairs(t.ever) do
	redis.call('HINCRBY', KEYS[2], name, string.format('%.0f', n))
end
if current then
	for name, n in pairs(t.since) do
		redis.call('HINCRBY', KEYS[2], name, string.format('%.0f', n))
	end
end
local some = false
for name, n in pairs(t.recent) do
	redis.call('HINCRBY', KEYS[3], name, string.format('%.0f', n))
	some = true
end
if some then
	redis.call('PEXPIRE', KEYS[3], ARGV[2])
end
local all = {current and 1 or 0}
for i = 2, #KEYS do
	all[i] = redis.call('HGETALL', KEYS[i])
end
return all`)

// Tally adds to the numbers, and returns those of all instances: of the window, and ever. Names
// must be bounded: those of the window expire with it.
func (r *Store) Tally(ctx context.Context, t Tally) (Sums, error) {
	part := max(t.Window/windowParts, time.Millisecond)
	now := r.Now().UnixNano() / int64(part)
	keys := []string{r.decisionsKey(), r.numbersKey()}
	for i := range int64(windowParts) {
		keys = append(keys, r.besideLog("recent")+":"+strconv.FormatInt(int64(part/time.Millisecond), 10)+":"+strconv.FormatInt(now-i, 10))
	}
	added, err := json.Marshal(map[string]map[string]int64{"recent": notNull(t.Recent), "ever": notNull(t.Ever), "since": notNull(t.Since)})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var got []any
	err = r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		got, err = addTally.Run(ctx, c, keys, added, (t.Window+part).Milliseconds()+1, t.At.text()).Slice()
		return err
	})
	if err != nil {
		return Sums{}, fmt.Errorf("redis: count: %w", err)
	}
	sums := Sums{Recent: map[string]int64{}, Ever: map[string]int64{}}
	for i, one := range got {
		switch i {
		case 0:
			sums.Current = one == int64(1)
		case 1:
			addHash(sums.Ever, one)
		default:
			addHash(sums.Recent, one)
		}
	}
	return sums, nil
}

// addHash adds the numbers of a hash, a list of names and numbers.
func addHash(sums map[string]int64, hash any) {
	pairs, _ := hash.([]any)
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		text, _ := pairs[i+1].(string)
		n, _ := strconv.ParseInt(text, 10, 64)
		sums[name] += n
	}
}

// notNull returns m, or an empty map: to Lua null is no table.
func notNull(m map[string]int64) map[string]int64 {
	if m == nil {
		return map[string]int64{}
	}
	return m
}
