// Package compare finds the differences between two responses in the neutral namespace:
// one of the reference, and one of a candidate to the same call.
//
// Start reading at compare.go: a document is read into nodes (node.go), which walk.go compares. equal.go
// decides which values are the same, and differences.go adds a difference with the differing item; show.go and
// text.go show values to people. The accepted differences are data, in rules.go and known.go, and location.go
// finds which of them apply. findings.go groups the differences of many responses, and report.go has the
// result.
//
// Nothing here does I/O or reads a clock. Time and memory are linear in the documents, and
// reports are bounded.
package compare
