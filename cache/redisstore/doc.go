// Package redisstore keeps in Redis what the instances of calfacade share: entries as
// bytes, leases, the purge log and the quotas of clients. It knows neither what an entry
// holds nor what a record of the log says. It alone imports go-redis.
//
// Start reading at open.go: [Open] returns a [Store], whose calls have a budget and fail
// at once while the circuit breaker is open.
//
//	check.go               whether a Redis is set up as this package needs it
//	decide.go, members.go  decisions of all instances, and which of these may act on them
//	tally.go               numbers that all instances add up
//	follow.go              following the log
//	tail_check.go,
//	snapshot.go            the proof that nothing was missed
//	tail_decisions.go      reading the decisions that the log announces
//	tail.go                reading the log, and acknowledging the purges in it
//	append.go              writing to the log
//	cursor.go, segment.go  passing the log on, once for all instances
//	subscription.go        the Pub/Sub connection: applied purges
//	live.go, acks.go       which instances follow the log, and which applied a purge
//	lease.go               leases: one instance fetches, the others wait
//	entry.go               entries
//	quota.go               quotas of clients
//	slots.go               how many calls run at once
//	clock.go               the time that the instances share
//	stats.go               counters
//	store.go, breaker.go   one call: its time, its connection, and when none is made
//	keys.go                the keys in Redis
//	errors.go              what a failure means
//	url.go, limits.go      which Redis, and what go-redis may do on its own
//	logstate.go            [LogState]: how recently an instance knew the end of the log
//	log.go, position.go    the purge log, a stream; positions in it
//	decisions.go           [Decisions] of all instances, and a [Change] of them
//
// Nothing here retries, and nothing waits for a Redis that is known to be down.
package redisstore
