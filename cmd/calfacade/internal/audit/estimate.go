package audit

import "math"

// Estimate is the share of stale answers in a sample, with the Wilson score interval at 95 %. Unlike the
// normal approximation it is meaningful where no answer is stale.
type Estimate struct {
	Audited    uint64  `json:"audited"`
	Stale      uint64  `json:"stale"`
	PerMillion float64 `json:"per_million"`
	Low        float64 `json:"low"`  // the lower bound, per million
	High       float64 `json:"high"` // the upper bound, per million
}

// z is the quantile of the standard normal distribution for 95 %, on both sides.
const z = 1.959963984540054

const million = 1e6

// estimateOf returns the estimate for a sample. Without samples, everything is possible.
func estimateOf(stale, audited uint64) Estimate {
	e := Estimate{Audited: audited, Stale: stale, High: million}
	if audited == 0 {
		return e
	}
	n, p := float64(audited), float64(stale)/float64(audited)
	scale := 1 + z*z/n
	center := (p + z*z/(2*n)) / scale
	half := z / scale * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	e.PerMillion = million * p
	e.Low, e.High = million*max(0, center-half), million*min(1, center+half)
	if stale == 0 {
		e.Low = 0 // and no rounding error
	}
	return e
}
