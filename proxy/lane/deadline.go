package lane

import (
	"net"
	"os"
	"sync"
	"time"
)

// Setting a deadline costs more than parsing a request. So the lane sets each deadline later than
// requested, by this part of the time, and again only when that part is used up.
const (
	deadlineSlack    = 16
	maxDeadlineSlack = time.Second
)

// renew returns the deadline that is to replace until, if one is due.
func renew(until, now time.Time, d time.Duration) (next time.Time, due bool) {
	if d <= 0 || until.Sub(now) >= d {
		return until, false
	}
	return now.Add(d + min(d/deadlineSlack, maxDeadlineSlack)), true
}

// deadlineAfter returns the deadline d after now; no deadline for 0.
func deadlineAfter(now time.Time, d time.Duration) time.Time {
	if d <= 0 {
		return time.Time{}
	}
	return now.Add(d)
}

// readDeadline ends waits like reads of the connection.
type readDeadline struct {
	mu      sync.Mutex
	until   time.Time     // zero disables the deadline
	ended   bool          // the connection is closed
	changed chan struct{} // nil: nobody waits
}

// change sets the deadline, or ends all waits for good.
func (d *readDeadline) change(until time.Time, ended bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = until
	d.ended = d.ended || ended
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// wait returns when the deadline passes or the connection is closed, with the error of a read.
// For an abort wait returns only when a deadline in the past is set, as net/http does to end the
// read beside a handler.
func (d *readDeadline) wait(forAbort bool) error {
	for {
		d.mu.Lock()
		if d.changed == nil {
			d.changed = make(chan struct{})
		}
		until := d.until
		ended := d.ended
		changed := d.changed
		d.mu.Unlock()
		var passed <-chan time.Time
		switch remaining := time.Until(until); {
		case ended:
			return net.ErrClosed
		case until.IsZero():
		case remaining <= 0:
			return os.ErrDeadlineExceeded
		case !forAbort:
			passed = time.After(remaining)
		}
		select {
		case <-passed:
		case <-changed:
		}
	}
}
