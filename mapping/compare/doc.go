// Package compare finds the differences between two responses in the neutral namespace:
// one of the reference, and one of a candidate to the same call.
//
// Start reading at compare.go. The accepted differences are data, in rules.go; paths.go
// resolves the paths of rules, and known.go has the kinds of differences that are expected. A
// document is read into nodes (node.go), which walk.go and lists.go compare. cause.go assigns a
// difference to the item that it is about. findings.go counts.
//
// Nothing here does I/O or reads a clock. Time and memory are linear in the documents, and
// reports are bounded.
package compare
