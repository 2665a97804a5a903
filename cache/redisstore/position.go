package redisstore

import "time"

// Position is a position in the purge log. A later one is larger. With Redis it is the
// position in the stream that all instances share (milliseconds<<16 | sequence);
// without, a count.
type Position uint64

// Time returns when Redis appended the record at this position.
func (at Position) Time() time.Time { return time.UnixMilli(int64(at >> 16)) }
