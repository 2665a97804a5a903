package cache

import "github.com/calfacade/calfacade/cache/redisstore"

// Held returns the entry in memory under key if a request would be served it as fresh, and if no
// write in progress may change it. It returns nil otherwise.
func (c *Cache) Held(key string) *Entry {
	if !c.Look() && c.options.FetchWithoutRedis {
		return nil
	}
	e, now := c.memory.get(key), c.options.Clock()
	if c.condition(e, now) != fresh || e.Status == hitForMiss || c.log.judge(e) != valid {
		return nil
	}
	return e
}

// Position returns the position of the newest record of the log that this process knows.
func (c *Cache) Position() redisstore.Position { return c.log.Position() }

// PurgedSince returns those of the tags that were purged after a position. everything reports
// that all entries were.
func (c *Cache) PurgedSince(at redisstore.Position, tags []string) (purged []string, everything bool) {
	return c.log.since(at, tags)
}

// Follows reports whether this process gets the purges of other instances. Without Redis there
// are none.
func (c *Cache) Follows() bool { return c.remote.redis == nil || c.remote.redis.Up() }

// FromRedis reports whether the entry was read from Redis: another instance stored it, or this one
// before it evicted it from memory.
func (e *Entry) FromRedis() bool { return e.held > 0 }

// since returns the tags that were purged after a position.
func (l *Log) since(at redisstore.Position, tags []string) (purged []string, everything bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, t := range tags {
		if l.hard.tags[t] > at || l.soft.tags[t] > at {
			purged = append(purged, t)
		}
	}
	return purged, max(l.hard.minimum, l.soft.minimum) > at
}
