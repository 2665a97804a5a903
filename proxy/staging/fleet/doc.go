// Package fleet shares the decisions of a migration among all instances on one Redis: the
// settings of the staging matrix, and read-only mode. Without Redis each instance decides
// alone.
//
// Start with [Fleet] in fleet.go, which connects to the store of a configuration,
// follows the decisions of other instances, and adopts a changed configuration; change.go makes
// changes; count.go adds up the counts of all instances, and rolls back.
package fleet
