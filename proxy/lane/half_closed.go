package lane

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// While a handler runs, net/http reads one byte of what follows the request, and cancels
// the request where that read fails. The end of input is no reason to: a client may close
// its half of the connection and wait for the response. The server cannot distinguish it
// from a client that is gone, so it no longer cancels an upstream call that nobody waits
// for, unless the connection is reset. Varnish and Apache do the same; nginx cancels.

// readDeadline ends waits as it would end a read of the connection.
type readDeadline struct {
	mu      sync.Mutex
	until   time.Time // zero: none
	closed  bool
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
	d.closed = true
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
	if d.closed {
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

// Read hides the end of input from the read beside a handler, which then ends by its
// deadline. Only that read is of a single byte, or one of a head that fills net/http's
// buffer except for a byte.
func (c *corkedConn) Read(p []byte) (int, error) {
	n, err := c.halfCloser.Read(p)
	if err == io.EOF && len(p) == 1 {
		return n, c.reads.wait()
	}
	return n, err
}

// SetReadDeadline bounds reads, and what Read waits for.
func (c *corkedConn) SetReadDeadline(t time.Time) error {
	c.reads.set(t)
	return c.halfCloser.SetReadDeadline(t)
}

// SetDeadline bounds reads and writes.
func (c *corkedConn) SetDeadline(t time.Time) error {
	c.reads.set(t)
	return c.halfCloser.SetDeadline(t)
}

// Close closes the connection, and ends what Read waits for.
func (c *corkedConn) Close() error {
	c.reads.close()
	return c.halfCloser.Close()
}
