// Package cache stores complete responses and decides when they may be served again.
//
// It knows no HTTP and no calendar: an [Entry] is bytes with a lifetime and tags. Redis
// (see [github.com/calfacade/calfacade/cache/redisstore]) is optional, and never the cause
// of an error.
//
//	cache.go, await.go,
//	fill.go              [Cache.Serve]: the life of a lookup
//	condition.go         what an entry may be used for now
//	entry.go, codec.go   an entry, and its encoding for Redis
//	log.go               the purge log: which tags were purged, and when
//	memory.go, weight.go the tier of this process, and the bytes an entry takes there
//	remote.go            the tier and the log that all instances share
//	caught_up.go         when memory may be served without a look at the log
//	announce.go          [Announcement]: writes whose outcome is not known
//	flights.go           one fetch for all that wait for a key
//	waiters.go           the callers that wait for it
//	in_doubt.go          the tags of such writes
//	compress.go          compression, in the background
//	stats.go, observe.go,
//	recent.go            counters, calls on Redis, recent purges
//
// Concurrent requests for a key share a flight of this package, not of
// golang.org/x/sync/singleflight: a request that arrives after a purge must not get the
// result of a fetch that began before it (see flights.go).
package cache
