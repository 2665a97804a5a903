// Package staging decides which of two backends serves a call during a migration from
// the legacy to a candidate. A matrix has a state for each kind of call, resource and
// language. It can be changed at run time, and rolls back automatically. The package knows
// no HTTP and makes no calls.
//
// Start with [Matrix] in matrix.go, which selects the backend. The files, from the top:
//
//   - status.go reports the matrix, and rules.go writes it as rules of a configuration.
//   - set.go changes the matrix by hand, follow.go as all instances have decided;
//     certainty.go is how well an instance knows that.
//   - count.go counts, and rolls back; totals.go does so with the counts of all instances.
//   - matrix.go has the cells: cell.go is the state of one, measured by tally.go, window.go
//     and sketch.go.
//   - change.go is a change, rollback.go when to roll back, selection.go a part of the
//     matrix, setting.go a state, and client.go what a canary selects by.
//
// queue.go bounds comparisons.
package staging
