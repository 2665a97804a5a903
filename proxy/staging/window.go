package staging

import "time"

// slots is the number of parts of a window, which it forgets one at a time.
const slots = 10

// window has the counts of the recent past.
type window struct {
	length time.Duration
	slots  [slots]Counts
	last   int64 // the part of time that was counted last
}

// add adds n, and returns the counts within length. If the length has changed the window
// starts again, since its parts have other numbers.
func (w *window) add(now time.Time, length time.Duration, n Counts) Counts {
	if w.length != length {
		*w = window{length: length}
	}
	at := now.UnixNano() / max(1, int64(length)/slots)
	for i := max(w.last+1, at-slots+1); i <= at; i++ {
		w.slots[i%slots] = Counts{}
	}
	w.last = max(w.last, at)
	w.slots[w.last%slots].add(n)
	var all Counts
	for _, s := range w.slots {
		all.add(s)
	}
	return all
}
