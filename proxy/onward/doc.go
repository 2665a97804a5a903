// Package onward passes purges on to caches in front of calfacade, and to front ends that
// build pages of their own.
//
// With Redis the package reads purges from the purge log, once for all instances: each target has a group
// (see [redisstore.Store.ReadGroup]), which an instance reads when it has made or seen a purge,
// and every few seconds, for purges that an instance left when it died. Accepted purges are
// acknowledged. Purges that wait meanwhile are sent together. If records may be missing, everything is
// purged. A purge may be sent twice, which does no harm.
//
// While Redis does not answer, each instance sends its own purges. Without Redis an instance
// does so always, and begins with a purge of everything, because nobody knows the purges that an
// earlier process has not sent.
//
// Start with [Deliverer] in deliverer.go. The files below it, from the top:
//
//	courier.go  the purges for one target of a plan, and their times
//	letters.go  the purges that a target has refused
//	deliver.go  one delivery: the calls, the rate limit, and the outcome
//	kinds.go    the calls of each kind, and the subjects of a purge, with URLs
//	state.go    a [Plan], and the state of a courier
//	batch.go    several purges as one
//	target.go   a [Target], with its limits
package onward
