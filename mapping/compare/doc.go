// Package compare tells in what two answers in the neutral namespace differ: the
// one that the reference gave, and the one that a candidate gave to the same call.
//
// Start reading at compare.go. What counts as no difference is data, in rules.go;
// where the paths of rules lead is in paths.go. A document is read into a flat list
// of its values (tree.go), which walk.go and lists.go go through. noise.go takes
// out what the reference differs in from itself, findings.go keeps count.
//
// Nothing here does I/O or reads a clock. Time is linear in the documents. Memory
// is too, and what is told of them is bounded.
package compare
