// Package cache stores complete responses and decides when they may be served again.
//
// It knows no HTTP and no calendar: an [Entry] is bytes with a lifetime and tags. Redis
// (see [github.com/calfacade/calfacade/cache/redisstore]) is optional, and never the cause
// of an error.
//
//	serve.go   [Cache.Serve]: the life of a lookup, and what an entry may be used for now
//	fill.go    a fetch, from Redis or the source, and compression in the background
//	flights.go one fetch for all that wait for a key
//	remote.go  the tier that all instances share, and [Cache.Look]
//	purge.go   purges, writes in progress ([Announcement]), and purges that are not in the
//	           shared log yet ([Pending])
//	log.go     [Log]: which tags were purged or are in doubt, and the records of the log
//	memory.go  the tier of this process, and the bytes that an entry takes there
//	entry.go   an entry, and its encoding for Redis
//	cache.go   [Cache]: its parts and [Options]
//	stats.go   what a cache reports about itself
//
// Concurrent requests for a key share a flight of this package, not of
// golang.org/x/sync/singleflight: a request that arrives after a purge must not get the
// result of a fetch that began before it (see flights.go).
package cache
