package redisstore

import (
	"fmt"
	"strconv"
	"strings"
)

// The log is a stream. An item of it holds a record, or a version of the decisions, or else is a mark: everything from
// before a mark counts as purged. Both name the epoch in which they were appended, as far
// as it was known (see [tail]). A record whose writer waits for the other instances has a
// token, which they send back: the writer's ID and a number.
const (
	fieldRecord = "r"
	fieldEpoch  = "e"
	fieldToken  = "t"

	fieldDecisions = "d" // in place of a record: the version of new [Decisions]
)

// streamID identifies an item of a stream: milliseconds by the clock of Redis, and a number
// among those of the same millisecond.
type streamID struct{ ms, seq uint64 }

func parseStreamID(s string) (streamID, error) {
	ms, seq, _ := strings.Cut(s, "-")
	m, err := strconv.ParseUint(ms, 10, 48)
	if err != nil {
		return streamID{}, fmt.Errorf("redis: position in the purge log: %w", err)
	}
	q, err := strconv.ParseUint(seq, 10, 64)
	if err != nil {
		return streamID{}, fmt.Errorf("redis: position in the purge log: %w", err)
	}
	return streamID{m, q}, nil
}

func (id streamID) String() string {
	return strconv.FormatUint(id.ms, 10) + "-" + strconv.FormatUint(id.seq, 10)
}

func (id streamID) less(o streamID) bool {
	return id.ms < o.ms || id.ms == o.ms && id.seq < o.seq
}

// position packs the ID. Redis assigns more than 65,536 IDs to a millisecond only if its
// clock was set back, so that time stands still for the stream: the sum then runs into the
// following milliseconds, which keeps the order until the clock gets there. The tail
// distrusts everything that it reads in that state.
func (id streamID) position() Position { return Position(id.ms<<16 + id.seq) }

func (id streamID) overflows() bool { return id.seq > 0xffff }

// Follower receives the records of the purge log. Its methods are called one at a time, by
// the goroutine of Follow.
type Follower interface {
	// Apply is called for every record in order, including those that this instance
	// appended, and again for some after a Distrust.
	Apply(at Position, record []byte)
	// Distrust is called when records may have been missed: everything from before at
	// counts as purged. It is also the first call, with the position of the oldest record
	// that the log still has.
	Distrust(at Position)
	// Checking is called before the end of the log is read.
	Checking()
	// Caught is called when everything that was in the log at the last Checking, up to at,
	// has been applied: after the first read of the log, after each reconnect, and several
	// times a second.
	Caught(at Position)
	// Lost is called when the log cannot be read, until the next Caught.
	Lost()
}
