// Package staging decides which of two backends serves a call during a migration from
// the legacy to a candidate. A matrix has a state for each kind of call, resource and
// language. It can be changed at run time, and rolls back automatically. The package knows
// no HTTP and makes no calls.
//
// Start with [Matrix] in matrix.go, which follows [Decisions] (decisions.go): what the
// configuration, operators and rollbacks have decided, at this instance or at all. The files, from
// the top:
//
//   - status.go reports the matrix. route.go selects the backend of a call.
//   - count.go counts, and rolls back, alone or by the numbers of all instances.
//   - cell.go is the state of one cell, measured by numbers.go and window.go.
//   - change.go is a change of decisions, selection.go a part of the matrix with its rules, and
//     setting.go a state, and what a canary selects by.
//
// queue.go bounds comparisons.
package staging
