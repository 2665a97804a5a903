// Package staging decides which of two backends serves a call during a migration from
// the legacy to a candidate. A matrix has a state for each kind of call, resource and
// language. The matrix can be changed at run time, and rolls back automatically. The package knows
// no HTTP and makes no calls.
//
// Start with [Matrix] in matrix.go, which follows [Decisions] (decisions.go): decisions of the
// configuration, of operators and by rollbacks, at this instance or at all. The files, from
// the top:
//
//   - snapshot.go reports the cells.
//   - count.go counts, and rolls back, alone or by the numbers of all instances.
//   - matrix.go selects the backend of a call.
//   - decisions.go also has the changes of decisions, selection.go a part of the matrix with the
//     rules and the plan, setting.go the states, and the unit of a canary's share.
//   - numbers.go has the numbers of cells, and judges them.
//
// queue.go bounds comparisons.
package staging
