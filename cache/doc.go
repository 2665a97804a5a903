// Package cache stores complete responses and decides when they may be served again.
//
// It knows no HTTP and no calendar: an [Entry] is bytes with a lifetime and tags. Redis
// (see [github.com/calfacade/calfacade/cache/redisstore]) is optional, and never the cause
// of an error.
//
//	serve.go, await.go,
//	fill.go              [Cache.Serve]: the life of a lookup
//	compress.go          compression, in the background
//	announce.go          [Announcement]: writes whose outcome is not known
//	pending.go           purges that are not in the shared log yet, for the next process
//	purge.go             purges: applied here, and through the shared log everywhere
//	report.go            what a cache reports about itself
//	held.go              what it serves now, and what was purged since, for an auditor
//	condition.go         what an entry may be used for now
//	caught_up.go         when memory may be served without a look at the log
//	cache.go             [Cache]: its parts, [New] and [Cache.Close]
//	remote.go, shared.go the tier that all instances share
//	memory.go, weight.go the tier of this process, and the bytes an entry takes there
//	log.go, in_doubt.go  the purge log: which tags were purged, and which are in doubt
//	recent.go, stats.go  recent purges, counters
//	record.go            a record of the log: mostly a [Purge]
//	flights.go           one fetch for all that wait for a key
//	waiters.go           the callers that wait for it
//	tracker.go           the work in progress, which [Cache.Close] waits for
//	options.go           [Options]
//	observe.go           [Observer]: calls on Redis
//	result.go            a fetch, and how a request was served
//	codec.go, entry.go   the encoding of an entry for Redis, and an entry
//
// Concurrent requests for a key share a flight of this package, not of
// golang.org/x/sync/singleflight: a request that arrives after a purge must not get the
// result of a fetch that began before it (see flights.go).
package cache
