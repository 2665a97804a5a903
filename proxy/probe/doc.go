// Package probe finds out about a site what its configuration depends on: whether the REST
// roots respond, which languages they serve and how to select one, and the time zone.
//
// [Run] probes the backends once, for "calfacade check" and before a recording. [Zone] learns
// the time zone of the site while the proxy serves. Start reading with table.go, which has all
// that check finds about a root, in its order; probe.go asks the questions, and languages.go
// compares lists to see what selects a language.
package probe
