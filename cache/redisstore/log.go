package redisstore

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// The log is a stream. An item of it holds a record, or a version of the decisions, or begins a
// group, or else it is a mark: everything from before a mark counts as purged. Each names the epoch in which it
// was appended, as far as its writer knew it (see [tail]).
const (
	fieldRecord    = "r"
	fieldEpoch     = "e"
	fieldDecisions = "d" // the version of a new [SharedState]
	fieldGroup     = "g" // the name of a group, see [Store.ReadGroup]
)

// Item is an item of the log.
type Item struct {
	At     Position
	Record []byte // nil: it holds no record
	Mark   bool   // everything before it counts as purged

	epoch   any  // a string; nil without one
	decides bool // it names a version of the decisions
	begins  any  // the name of the group that it begins; nil: it begins no group
}

// itemsOf returns the items that a read of the log has found. One that is gone may have been any: it is
// a mark.
func itemsOf(answer *redis.XStreamSliceCmd) (items []Item, err error) {
	if err = answer.Err(); err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	for _, s := range answer.Val() {
		for _, m := range s.Messages {
			i := Item{epoch: m.Values[fieldEpoch], begins: m.Values[fieldGroup], decides: m.Values[fieldDecisions] != nil}
			if i.At, err = positionOf(m.ID); err != nil {
				return nil, err
			}
			record, ok := m.Values[fieldRecord].(string)
			if ok {
				i.Record = []byte(record)
			}
			i.Mark = !ok && !i.decides && i.begins == nil
			items = append(items, i)
		}
	}
	return items, nil
}

// positionOf returns the position of the item with an ID: milliseconds by the clock of Redis, and a number among
// the items of the same millisecond. Redis makes more than 65,536 of a millisecond only after its clock was set
// back, when time stands still for the stream: such a log cannot be read, until the clock is where it was.
func positionOf(id string) (Position, error) {
	ms, seq, _ := strings.Cut(id, "-")
	m, err := strconv.ParseUint(ms, 10, 48)
	n, badNumber := strconv.ParseUint(seq, 10, 16)
	if err = cmp.Or(err, badNumber); err != nil {
		return 0, fmt.Errorf("redis: position in the purge log: %w", err)
	}
	return Position(m<<16 + n), nil
}

// id is the inverse of [positionOf].
func (p Position) id() string { return fmt.Sprintf("%d-%d", uint64(p>>16), uint64(p&0xffff)) }

// Follower receives the records of the purge log. Its methods are called by one log read at a time, except
// Position.
type Follower interface {
	// Position returns the latest position that it knows, from the log or an entry. A record that is appended
	// gets a later one.
	Position() Position
	// Flush is called at the beginning of a log read. It appends the purges that were made while
	// Redis did not answer, many of them in one round trip. After an error nothing is read, and the log read fails.
	Flush(append AppendFunc) error
	// Apply is called for every record in order, including the records of this instance, and
	// again for some after a Distrust.
	Apply(p Position, record []byte)
	// Distrust is called when records may have been missed: everything from before p counts
	// as purged. It is also the first call, with the position of the oldest record that the
	// log still has.
	Distrust(p Position)
	// Reached is called at the end of a log read: everything up to p is known.
	Reached(p Position)
}

// AppendFunc appends records in order, and returns their positions. After an error some may have been appended.
type AppendFunc func(records [][]byte) ([]Position, error)

// Position is a position in the purge log. A later one is larger. With Redis it is the
// position in the stream that all instances share (milliseconds<<16 | sequence);
// without, a count.
type Position uint64

// Time returns when Redis appended the record at this position.
func (p Position) Time() time.Time { return time.UnixMilli(int64(p >> 16)) }

// nobody is the follower of a store that is only asked for decisions.
type nobody struct{}

func (nobody) Position() Position     { return 0 }
func (nobody) Flush(AppendFunc) error { return nil }
func (nobody) Apply(Position, []byte) {}
func (nobody) Distrust(Position)      {}
func (nobody) Reached(Position)       {}

// SharedState is the decisions of all instances together, beside the purge log: one text, which
// only a change from the latest version replaces. The log announces each version, and a check of
// its end reads the latest one. So an instance that has read the log knows the decisions.
type SharedState struct {
	Version uint64 `redis:"v"`  // 0: nothing has been decided
	ID      string `redis:"id"` // of the change that made this version; random
	State   string `redis:"s"`  // as the writer encoded it
}
