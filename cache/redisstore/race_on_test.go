//go:build race

package redisstore

// interleavings are fewer under the race detector, which makes each ten times as long.
const interleavings = 5_000
