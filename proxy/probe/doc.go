// Package probe finds out about a site what its configuration depends on: whether the REST
// roots respond, which languages they serve and how to select one, and the time zone.
//
// [Run] probes the backends once, for "calfacade check" and before a recording. [Zone] learns
// the time zone of the site while the proxy serves. Start reading with probe.go, which has all
// findings of check about a root, in order; root.go asks the questions, and languages.go
// compares lists (lists.go) to see the selection of a language.
//
// [Discover] finds the REST roots of a site for a new configuration: discover.go reads pages (page.go)
// during a visit of the site (visit.go). Both ways and [Zone] read the index of a root (index.go).
package probe
