package pictures

import (
	"math"
	"strconv"
)

// axis is a logarithmic axis from min to max, drawn from one coordinate to another.
type axis struct {
	min, max float64
	from, to float64
}

func (a axis) at(v float64) float64 {
	v = math.Max(v, a.min)
	return a.from + (a.to-a.from)*math.Log(v/a.min)/math.Log(a.max/a.min)
}

// decades returns the powers of ten on the axis.
func (a axis) decades() []float64 {
	var all []float64
	for v := math.Pow(10, math.Ceil(math.Log10(a.min)-1e-9)); v <= a.max*1.0001; v *= 10 {
		all = append(all, v)
	}
	return all
}

// axisFor returns an axis of whole decades that has all values.
func axisFor(values []float64, from, to float64) axis {
	low, high := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	low, high = math.Pow(10, math.Floor(math.Log10(low)+1e-9)), math.Pow(10, math.Ceil(math.Log10(high)-1e-9))
	if high == low {
		high *= 10
	}
	return axis{low, high, from, to}
}

// short formats a number for a tick: 0.1, 10, 10k, 1M.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return short(v/1e6) + "M"
	case v >= 1e4:
		return short(v/1e3) + "k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// rounded formats a value to two digits, or to a whole number.
func rounded(v float64) string {
	if v < 10 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
}
