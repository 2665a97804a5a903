package scale

import (
	"math"
	"time"
)

// dice draws random numbers that depend on the seed and on what they are for, and on nothing
// else: not on the order in which goroutines draw.
type dice uint64

// The purposes of draws.
const (
	forArrivals = iota + 1
	forClients
	forEdits
	forPurges
	forOnward
	forLoss
	forSite
	forNetwork
	forRedis
	forLife
	forStart
)

// roll returns a number in [0, 1) for the purpose and the subjects.
func (d dice) roll(purpose uint64, subjects ...uint64) float64 {
	x := mix(uint64(d) ^ mix(purpose))
	for _, s := range subjects {
		x = mix(x ^ s)
	}
	return float64(x>>11) / (1 << 53)
}

// mix is the output function of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// pick returns a number in [0, n).
func (d dice) pick(n int, purpose uint64, subjects ...uint64) int {
	return int(d.roll(purpose, subjects...) * float64(n))
}

func (d dice) within(r Range, purpose uint64, subjects ...uint64) time.Duration {
	return r.Min + time.Duration(d.roll(purpose, subjects...)*float64(r.Max-r.Min))
}

// interval returns a time between two events that happen independently, rate times a second.
func interval(roll, rate float64) time.Duration {
	return time.Duration(-math.Log1p(-roll) / rate * float64(time.Second))
}
