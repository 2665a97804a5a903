package fair

import "time"

// steps is the number of parts of a window, which it forgets one at a time.
const steps = 10

// window counts calls that ended within a time, in steps.
type window struct {
	steps [steps]struct{ succeeded, failed uint32 }
	last  int64 // the step that was counted last, since 1970
}

// add counts a call.
func (w *window) add(now time.Time, within time.Duration, failed bool) {
	w.move(now, within)
	step := &w.steps[w.last%steps]
	if failed {
		step.failed++
	} else {
		step.succeeded++
	}
}

// counts returns the counts of the window that ends now.
func (w *window) counts(now time.Time, within time.Duration) (succeeded, failed int) {
	w.move(now, within)
	for _, step := range w.steps {
		succeeded += int(step.succeeded)
		failed += int(step.failed)
	}
	return succeeded, failed
}

// move forgets the steps that have left the window.
func (w *window) move(now time.Time, within time.Duration) {
	at := now.UnixNano() / max(1, int64(within)/steps)
	for n := max(w.last+1, at-steps+1); n <= at; n++ {
		w.steps[n%steps] = struct{ succeeded, failed uint32 }{}
	}
	w.last = max(w.last, at)
}

func (w *window) reset() { *w = window{last: w.last} }
