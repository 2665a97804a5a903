package staging

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// sketch estimates how many different clients there were, in 4 KiB however many they are
// (HyperLogLog). The standard error is 3 %; small numbers are nearly exact. It is safe for
// concurrent use.
type sketch [1 << sketchBits]atomic.Uint32

const sketchBits = 10

// add counts a client. A register has the largest rank of the numbers that select it.
func (s *sketch) add(number uint64) {
	h := mix(number)
	register, rank := &s[h>>(64-sketchBits)], uint32(bits.LeadingZeros64(h<<sketchBits|1<<(sketchBits-1)))+1 // #nosec G115 -- at most 64
	for {
		have := register.Load()
		if have >= rank || register.CompareAndSwap(have, rank) {
			return
		}
	}
}

// estimate returns the number of clients.
func (s *sketch) estimate() uint64 {
	const m = float64(len(s))
	sum, empty := 0.0, 0
	for i := range s {
		rank := s[i].Load()
		sum += math.Ldexp(1, -int(rank))
		if rank == 0 {
			empty++
		}
	}
	estimate := 0.7213 / (1 + 1.079/m) * m * m / sum
	if estimate <= 2.5*m && empty > 0 {
		estimate = m * math.Log(m/float64(empty)) // linear counting
	}
	return uint64(math.Round(estimate))
}

// mix spreads the bits of a number: similar texts have similar hashes of FNV.
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
