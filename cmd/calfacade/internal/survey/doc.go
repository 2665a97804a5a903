// Package survey walks through everything that a calendar shows: [Comparison]
// compares a candidate with the legacy site, [Warmer] fills the cache of a
// running facade. Both read lists page by page and then item by item, at a
// limited pace ([Paced], [Patient]), and show their progress.
//
// Start reading at cell.go and listing.go (what is walked and how), then at run.go and the
// files that it uses: lists.go reads the two lists of a cell side by side, pairs.go compares
// their entries and totals.go the lists as a whole; comparison.go compares the items, and
// compare_call.go the responses to one call. The findings are steps (step.go), which journal.go
// writes and result.go counts.
package survey
