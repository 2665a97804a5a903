//go:build !race

package cache

const interleavings = 100_000
