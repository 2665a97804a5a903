//go:build !race

package redisstore

const interleavings = 100_000
