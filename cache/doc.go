// Package cache stores complete responses and decides when they may be served again.
//
// It knows no HTTP and no calendar: an [Entry] is bytes with a lifetime and tags. Redis
// (see [github.com/calfacade/calfacade/cache/redisstore]) is optional, and never the cause
// of an error.
//
//	serve.go, await.go,
//	fill.go              [Cache.Serve]: the life of a lookup
//	remote.go, shared.go the tier that all instances share, and [Cache.Look]
//	condition.go         what an entry may be used for now
//	purge.go             purges: applied here, and through the shared log everywhere
//	announce.go          [Announcement]: writes in progress, or whose outcome is not known
//	pending.go           [Pending]: purges that are not in the shared log yet
//	log.go, in_doubt.go  [Log]: which tags were purged, and which are in doubt
//	record.go            a record of the log: mostly a [Purge]
//	cache.go             [Cache]: its parts, [New] and [Cache.Close]
//	memory.go, weight.go the tier of this process, and the bytes that an entry takes there
//	codec.go, entry.go   the encoding of an entry for Redis, and an entry
//	compress.go          compression, in the background
//	flights.go           one fetch for all that wait for a key
//	waiters.go           the callers that wait for it
//	report.go, stats.go  what a cache reports about itself
//	recent.go            the last purges, for operators
//	observe.go           [Observer]: calls on Redis
//	result.go            a fetch, and how a request was served
//	options.go           [Options]
//
// Concurrent requests for a key share a flight of this package, not of
// golang.org/x/sync/singleflight: a request that arrives after a purge must not get the
// result of a fetch that began before it (see flights.go).
package cache
