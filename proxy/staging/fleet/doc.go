// Package fleet makes the decisions of a migration those of all instances on one Redis: the
// settings of the staging matrix, and read-only mode. Without Redis each instance decides
// alone.
//
// Start with [Fleet] in fleet.go. state.go has what is decided, as Redis stores it, and what a
// configuration that has changed does to it; change.go makes changes; follow.go follows those
// of other instances; count.go adds up what all instances count, and rolls back; audit.go
// reads the audit log.
package fleet
