package redisstore

import "time"

// Position is a place in the purge log. Later is larger. With Redis it is the
// place in the stream that all instances share (milliseconds<<16 | sequence);
// without, a count.
type Position uint64

// Time is when Redis appended the record at this place.
func (at Position) Time() time.Time { return time.UnixMilli(int64(at >> 16)) }
