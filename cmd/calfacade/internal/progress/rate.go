package progress

import "time"

// Rate measures events per second, over the last seconds: a recording may wait for requests for
// hours, and the pages of a list take longer than its items.
type Rate struct {
	counts []counted // the oldest first
}

type counted struct {
	at time.Time
	n  uint64
}

// rateWindow is the time for which counts are stored. It exceeds both intervals of a display.
const rateWindow = 15 * time.Second

// Of adds a count, and returns the rate.
func (r *Rate) Of(n uint64, now time.Time) float64 {
	for len(r.counts) > 1 && now.Sub(r.counts[0].at) > rateWindow {
		r.counts = r.counts[1:]
	}
	r.counts = append(r.counts, counted{now, n})
	first := r.counts[0]
	if elapsed := now.Sub(first.at).Seconds(); elapsed > 0 {
		return float64(n-first.n) / elapsed
	}
	return 0
}
