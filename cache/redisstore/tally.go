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
}

// windowParts is the number of parts of a window, which expire one at a time.
const windowParts = 10

// addTally adds ARGV[1], an object with the members recent and ever, to the keys KEYS[1] (ever) and
// KEYS[2] (the current part), which expires after ARGV[2] ms. It returns the numbers of
// KEYS[1], and of each part.
var addTally = redis.NewScript(`
local t = cjson.decode(ARGV[1])
for name, n in pairs(t.ever) do
	redis.call('HINCRBY', KEYS[1], name, string.format('%.0f', n))
end
local some = false
for name, n in pairs(t.recent) do
	redis.call('HINCRBY', KEYS[2], name, string.format('%.0f', n))
	some = true
end
if some then
	redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
local all = {}
for i, key in ipairs(KEYS) do
	all[i] = redis.call('HGETALL', key)
end
return all`)

// Tally adds to the numbers, and returns those of all instances: of the window, and ever. Names
// must be bounded: those of the window expire with it.
func (r *Store) Tally(ctx context.Context, t Tally) (recent, ever map[string]int64, err error) {
	part := max(t.Window/windowParts, time.Millisecond)
	now := r.Now().UnixNano() / int64(part)
	keys := []string{r.numbersKey()}
	for i := range int64(windowParts) {
		keys = append(keys, r.besideLog("recent")+":"+strconv.FormatInt(int64(part/time.Millisecond), 10)+":"+strconv.FormatInt(now-i, 10))
	}
	added, err := json.Marshal(map[string]map[string]int64{"recent": notNull(t.Recent), "ever": notNull(t.Ever)})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var got []any
	err = r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		got, err = addTally.Run(ctx, c, keys, added, (t.Window+part).Milliseconds()+1).Slice()
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("redis: count: %w", err)
	}
	recent, ever = map[string]int64{}, map[string]int64{}
	for i, hash := range got {
		if i == 0 {
			addHash(ever, hash)
		} else {
			addHash(recent, hash)
		}
	}
	return recent, ever, nil
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
