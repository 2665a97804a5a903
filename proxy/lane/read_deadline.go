package lane

import (
	"net"
	"os"
	"sync"
	"time"
)

// readDeadline ends waits as it would end a read of the connection.
type readDeadline struct {
	mu      sync.Mutex
	until   time.Time     // zero: none
	ended   bool          // the connection is closed
	changed chan struct{} // nil: nobody waits
}

func (d *readDeadline) set(t time.Time) {
	d.mu.Lock()
	d.until = t
	d.wake()
	d.mu.Unlock()
}

func (d *readDeadline) close() {
	d.mu.Lock()
	d.ended = true
	d.wake()
	d.mu.Unlock()
}

func (d *readDeadline) wake() {
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// wait returns when the deadline passes or the connection is closed, with the error that
// a read would return.
func (d *readDeadline) wait() error {
	for {
		left, changed, err := d.left()
		if err != nil {
			return err
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-changed:
		}
		timer.Stop()
	}
}

// waitForAbort returns when a deadline in the past is set, as net/http does to end its
// read beside a handler, or the connection is closed.
func (d *readDeadline) waitForAbort() error {
	for {
		_, changed, err := d.left()
		if err != nil {
			return err
		}
		<-changed
	}
}

func (d *readDeadline) left() (left time.Duration, changed <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return 0, nil, net.ErrClosed
	}
	left = 1 << 62
	if !d.until.IsZero() {
		left = time.Until(d.until)
	}
	if left <= 0 {
		return 0, nil, os.ErrDeadlineExceeded
	}
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return left, d.changed, nil
}
