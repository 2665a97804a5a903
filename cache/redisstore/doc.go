// Package redisstore keeps in Redis what the instances of calfacade share: entries as
// bytes, leases, the purge log and the quotas of clients. It knows neither what an entry
// holds nor what a record of the log says. It alone imports go-redis.
//
// Start reading at [Store.Look] in look.go: it brings this process to the end of the log, and
// each request calls it before it is served. docs/architecture.md says why that is enough.
//
//	store.go   [Store]: its parts, one call and its timeout, and keys; stats.go counts
//	look.go    a look that all waiting requests share, its budget, appending to the log, and
//	           the shared clock
//	health.go  when Redis counts as down
//	tail.go    reading the log to its end, and the proof that nothing was missed
//	log.go     items of the log, positions, and who follows it
//	find.go    entries and leases: one instance fetches, the others wait
//	decide.go  decisions of all instances, which the log announces, and numbers that they add up
//	group.go   reading the log once for all instances, to pass it on
//	quota.go   quotas of clients
//	instances.go  who uses this Redis
//	check.go   whether a Redis is set up as this package needs it
//	url.go     which Redis
//
// Nothing waits for a Redis that is known to be down, but looks: for a few milliseconds each.
package redisstore
