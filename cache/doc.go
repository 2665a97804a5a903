// Package cache keeps complete answers and knows when they may be given again.
//
// It knows no HTTP and no calendar: an [Entry] is bytes with a life and tags.
//
//	entry.go, codec.go   what is kept, and its form in Redis
//	log.go               the purge log: which tags were purged, and when
//	memory.go, weight.go the tier of this process, and what an entry takes there
//	redis*.go, lease.go  the tier, the log and the lease that all copies share
//	cache.go, await.go,
//	fill.go              [Cache.Serve]: the life of a lookup
//	condition.go         what may be done with an entry
//	confirmed.go         how well this process knows the purge log
//	announce.go          [Announcement]: writes whose outcome is not known
//	flights.go           what is done once for all who ask for it at the time;
//	company.go           who those are
//	finish.go            [Cache.Finish]: what is made only once somebody wants it
//	stats.go, observe.go,
//	recent.go            what is told of all that
//
// Redis is optional, and never the reason for an error.
package cache
