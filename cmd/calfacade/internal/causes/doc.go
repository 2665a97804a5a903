// Package causes groups the differences between two sites by what they are about: a name that
// differs is one [Finding], with all responses that show it as its views. Findings at the same
// member of many items are one [Kind].
//
// Start reading at [Collector]. A difference brings its cause (compare.Cause); repeated.go assigns
// what repeats another member to the cause of that, and weight.go tells what is serious. Memory is
// bounded by [Limits].
package causes
