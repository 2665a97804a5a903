// Package causes groups the differences between two sites by what they are about: a name that
// differs is one [Finding], with all responses that show it as its views. Findings at the same
// member of many items are one [Kind].
//
// Start reading at [Collector]. Each difference comes with its cause (compare.Cause). repeated.go
// assigns a member that repeats another one to the cause of that one; weight.go rates findings;
// found.go collects the responses that show one. Memory is bounded by [Limits].
package causes
