package staging

import "time"

// parts is the number of parts of a window. They expire one at a time.
const parts = 10

// window has the numbers of the recent past.
type window struct {
	length time.Duration
	parts  [parts]Numbers
	last   int64 // number of the newest part, counted from the epoch
}

// add adds n, and returns the numbers within length. A window with another length than before
// starts empty, since its parts have other numbers.
func (w *window) add(now time.Time, length time.Duration, n Numbers) (all Numbers) {
	if w.length != length {
		*w = window{length: length}
	}
	at := now.UnixNano() / max(1, int64(length)/parts)
	for i := max(w.last+1, at-parts+1); i <= at; i++ {
		w.parts[i%parts] = Numbers{}
	}
	w.last = max(w.last, at)
	w.parts[w.last%parts] = w.parts[w.last%parts].plus(n)
	for _, p := range w.parts {
		all = all.plus(p)
	}
	return all
}
