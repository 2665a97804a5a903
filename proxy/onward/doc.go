// Package onward passes purges on to what is in front of calfacade: caches, and front ends that
// build pages of their own.
//
// With Redis it reads them from the purge log, once for all instances: of each target one live
// instance holds a cursor in the log (see [redisstore.Segment]), sends what follows in order, and
// moves the cursor once the target has accepted it. What waits meanwhile is sent together. If
// records may be missing, everything is purged. A purge may be sent twice, which does no harm.
//
// While Redis does not answer, each instance sends the purges that it made itself. Without Redis
// it does so always, and begins with a purge of everything, because nobody knows what an earlier
// process has not sent.
//
// A purge is sent no earlier than cache.purge_wait after it was made: from then on no instance
// serves what it invalidates, so that a cache in front cannot fetch it again. What was served just
// before has arrived by then.
//
// Start with [Deliverer] in deliverer.go. The files below it:
//
//	run.go        one target: what it is sent, and when
//	courier.go    the state of that
//	shared.go     what it is sent from the log
//	own.go        what it is sent of the purges of this instance
//	deliver.go    one delivery
//	call.go       its calls, and their outcome
//	repeat.go     deliveries that are made once more
//	replay.go, letters.go  what a target has refused
//	report.go     what operators see
//	reach.go      what a check of the configuration finds out
//	target.go     a [Target], with its limits
//	varnish.go, nginx.go, fastly.go, cloudflare.go, webhook.go  the calls of each kind
//	subjects.go   what a purge is about, with URLs
//	batch.go      several purges as one
//	limit.go      the rate limit of a target, and the pause after a failure
package onward
