// Package scale simulates many instances of calfacade, a Redis that they share, caches in
// front of them, and their clients, to find out what grows with what. The caches of the
// instances are those of package cache; Redis, the network, the site and the caches in front
// are models.
//
// Everything runs in a bubble of [testing/synctest], on one clock that costs nothing: an hour
// of the simulation takes seconds. Each random number is drawn from a seed and from what it
// is for, so that the same seed gives the same table.
//
// Start reading at setup.go, which says what is simulated, and at run.go.
//
//	setup.go              [Setup]: sizes, rates, delays, and which parts there are
//	run.go, report.go     [Run], and the [Result]
//	world.go              what takes part in a run
//	traffic.go            requests of clients
//	edits.go              edits on the site and through calfacade, and their purges
//	site.go, page.go      the site, and what it has
//	front.go              a cache in front
//	redis.go, lease.go,
//	log.go, follow.go     the model of Redis behind [cache.Shared]
//	commands.go           the commands that each call on Redis sends
//	staleness.go          how old answers are
//	chance.go             random numbers
//	cases.go, table.go    the cases of docs/scaling.md, and their results as CSV
package scale
