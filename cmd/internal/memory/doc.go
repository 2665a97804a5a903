// Package memory bounds the memory of the process through Go's garbage collector.
// [Limit] sets an upper bound that follows the size of the cache, [Ballast] keeps the
// collector from running too often while the heap is small. Start reading at limit.go.
package memory
