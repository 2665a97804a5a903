// Package redisstore keeps in Redis what the instances of calfacade share: entries as
// bytes, leases, the purge log and the quotas of clients. It knows neither what an entry
// holds nor what a record of the log says. It alone imports go-redis.
//
// Start reading at [Store.Look] in look.go: it brings this process to the end of the log, and
// each request calls it before it is served. docs/architecture.md says why that is enough.
//
//	store.go               [Store]: its parts, one call and its timeout
//	look.go                a look, its budget, appending to the log, and the shared clock
//	looks.go               one look for all requests that wait
//	tail.go, check_tail.go reading the log to its end, and the proof that nothing was missed
//	log.go, position.go    items of the log, positions, and who follows it
//	health.go              when Redis counts as down
//	find.go                entries and leases: one instance fetches, the others wait
//	decide.go              decisions of all instances, which the log announces
//	tally.go               numbers that all instances add up
//	group.go               reading the log once for all instances, to pass it on
//	quota.go               quotas of clients
//	check.go               whether a Redis is set up as this package needs it
//	url.go, limits.go      which Redis, and what go-redis may do on its own
//	keys.go                the keys in Redis
//	errors.go              what a failure means
//	stats.go               counters
//
// Nothing waits for a Redis that is known to be down, but looks: for a few milliseconds each.
package redisstore
