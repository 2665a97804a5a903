// Package onward passes purges on to caches in front of calfacade, and to front ends that
// build pages of their own.
//
// With Redis it reads them from the purge log, once for all instances: each target has a group
// (see [redisstore.Store.ReadGroup]), which an instance reads when it has made or seen a purge,
// and every few seconds, for what an instance that died has left. It acknowledges what the target
// has accepted. What waits meanwhile is sent together. If records may be missing, everything is
// purged. A purge may be sent twice, which does no harm.
//
// While Redis does not answer, each instance sends the purges that it made itself. Without Redis
// it does so always, and begins with a purge of everything, because nobody knows what an earlier
// process has not sent.
//
// Start with [Deliverer] in deliverer.go. The files below it, from the top:
//
//	courier.go  one target of a plan: what it is sent, and when
//	letters.go  what a target has refused
//	deliver.go  one delivery: its calls, the rate limit, and their outcome
//	kinds.go    the calls of each kind, and what a purge is about, with URLs
//	state.go    a [Plan], the state of a courier, and its report
//	batch.go    several purges as one
//	target.go   a [Target], with its limits
package onward
