//go:build race

package cache

// interleavings are fewer under the race detector, which makes each ten times as long.
const interleavings = 5_000
