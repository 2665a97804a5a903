// Package fleet shares the decisions of a migration among all instances on one Redis: the
// settings of the staging matrix, and read-only mode. Without Redis each instance decides
// alone.
//
// Start with [Fleet] in fleet.go. configure.go connects it to the store of a configuration;
// change.go makes changes, count.go adds up what all instances count, and rolls back;
// follow.go follows the decisions of other instances. status.go and audit.go report. At the
// bottom are state.go, the decisions as Redis stores them, adopt.go, which applies a changed
// configuration to them, and tally.go, the counts as Redis stores them.
package fleet
