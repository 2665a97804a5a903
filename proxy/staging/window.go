package staging

import "time"

// parts is the number of parts of a window. They expire one at a time.
const parts = 10

// window has the counts of the recent past.
type window struct {
	length time.Duration
	parts  [parts]Counts
	last   int64 // number of the newest part, counted from the epoch
}

// add adds n, and returns the counts within length. A window with another length than before
// starts empty, since its parts have other numbers.
func (w *window) add(now time.Time, length time.Duration, n Counts) Counts {
	if w.length != length {
		*w = window{length: length}
	}
	at := now.UnixNano() / max(1, int64(length)/parts)
	for i := max(w.last+1, at-parts+1); i <= at; i++ {
		w.parts[i%parts] = Counts{}
	}
	w.last = max(w.last, at)
	w.parts[w.last%parts].add(n)
	var all Counts
	for _, p := range w.parts {
		all.add(p)
	}
	return all
}
