// Package facadetest has the facades, sites and clients that the tests of several packages share: a facade with a
// cache before a scripted site (cached.go), before a site that speaks raw bytes (rawsite.go), with a lane (lane.go), with
// a candidate (staged.go), scenarios, replays of recordings, and the checks that every response of a facade passes
// (contract.go).
package facadetest
