package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// The log is a stream. A record has a purge, or else is a mark: nothing from
// before it may be believed. Both say in which epoch they were appended, as far
// as was known (see [tail]). A purge whose writer waits for the other instances has a
// token, which they send back: the writer's id and a number.
const (
	fieldRecord = "r"
	fieldEpoch  = "e"
	fieldToken  = "t"
)

// Append appends one purge to the log and gives its place. A failure may have
// appended it all the same: appending it again does no harm. It takes at most
// the budget.
func (r *Store) Append(ctx context.Context, record []byte) (Position, error) {
	at, _, err := r.append(ctx, record, "")
	return at, err
}

// streamID is a place in a stream: milliseconds by the clock of Redis, and a
// number among those of the same millisecond.
type streamID struct{ ms, seq uint64 }

func parseStreamID(s string) (streamID, error) {
	ms, seq, _ := strings.Cut(s, "-")
	m, err := strconv.ParseUint(ms, 10, 48)
	if err != nil {
		return streamID{}, fmt.Errorf("cache: place in the purge log: %w", err)
	}
	q, err := strconv.ParseUint(seq, 10, 64)
	if err != nil {
		return streamID{}, fmt.Errorf("cache: place in the purge log: %w", err)
	}
	return streamID{m, q}, nil
}

func (id streamID) String() string {
	return strconv.FormatUint(id.ms, 10) + "-" + strconv.FormatUint(id.seq, 10)
}

func (id streamID) less(o streamID) bool {
	return id.ms < o.ms || id.ms == o.ms && id.seq < o.seq
}

// position packs the place. Redis gives one millisecond more than 65,536 places
// only if its clock was set back and stands still for the stream meanwhile: the
// sum then runs into the following milliseconds, which keeps the order until the
// clock gets there. The tail distrusts what it reads in that state.
func (id streamID) position() Position { return Position(id.ms<<16 + id.seq) }

func (id streamID) overflows() bool { return id.seq > 0xffff }
