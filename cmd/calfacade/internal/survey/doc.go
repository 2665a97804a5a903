// Package survey walks through everything that a calendar shows: [Comparison] compares a candidate
// with the legacy site, [Warmer] fills the cache of a running facade. Both read lists page by page and
// then item by item, at a limited pace ([Paced], [Patient]), and show their progress.
//
// Start reading at cell.go and listing.go (the walk), then at comparison.go: it compares
// items, and lists.go the two lists of a resource in a language.
package survey
