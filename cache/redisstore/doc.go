// Package redisstore keeps in Redis what the instances of calfacade share: entries as
// bytes, leases, the purge log and the quotas of clients. It knows neither what an entry
// holds nor what a record of the log says. It alone imports go-redis.
//
// Start reading at store.go: [Open] returns a [Store], whose calls have a budget and fail
// at once while the circuit breaker is open.
//
//	url.go, limits.go      which Redis, and what go-redis may do on its own
//	store.go, breaker.go   one call: its time, its connection, what its failure means
//	slots.go               how many calls run at once
//	entry.go               entries
//	lease.go               leases: one instance fetches, the others wait
//	subscription.go        the Pub/Sub connection: applied purges
//	position.go, log.go    the purge log, a stream; positions in it
//	tail.go, follow.go,
//	snapshot.go            following the log, and the proof that nothing was missed
//	live.go                which instances follow the log, and which applied a purge
//	logstate.go            [LogState]: how recently an instance knew the end of the log
//	clock.go               the time that the instances share
//	quota.go               quotas of clients
//	stats.go               counters
//	check.go               whether a Redis is set up as this package needs it
//
// Nothing here retries, and nothing waits for a Redis that is known to be down.
package redisstore
