package lane

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Read answers requests, and returns to net/http the bytes that are not for the lane.
func (c *conn) Read(p []byte) (int, error) {
	if c.returns {
		return c.readBesideHandler(p)
	}
	if c.handedOver {
		if n := c.takeReadAhead(p); n > 0 {
			return n, nil
		}
		return c.read(p)
	}
	defer func() {
		if c.state.Load() != outside { // a panic, after which net/http calls a Close that would wait
			_ = c.abandon()
		}
	}()
	for buffered := c.takeReadAhead(p); ; {
		n, err := c.halfCloser.Read(p[buffered:])
		if n == 0 && err != nil {
			return c.endOfInput(p[:buffered], err)
		} // TLS returns both together, and the error again
		state := c.state.Load()
		if state != fresh && state != idle || !c.transition(state, answering) {
			return 0, c.abandon()
		}
		n += buffered
		unanswered, kind, err := c.answerAll(p[:n])
		if len(unanswered) < n {
			state = idle
		}
		if err == nil && !c.idles(unanswered) && (kind != partial || len(unanswered) == len(p)) {
			c.returns = kind == framed
			return c.handOver(p, unanswered), nil
		}
		if err != nil || !c.transition(answering, state) {
			return 0, c.abandon()
		}
		if c.lane.down.Load() {
			if state == fresh {
				return c.handOver(p, unanswered), nil
			}
			c.closeIdle()
		}
		if len(unanswered) < n {
			c.boundIdle()
		}
		if !c.idles(unanswered) {
			c.boundHead()
		}
		buffered = copy(p, unanswered)
	}
}

// idles reports whether the bytes read so far are no request yet.
func (c *conn) idles(unanswered []byte) bool {
	return len(unanswered) == 0 || c.answered && len(unanswered) < minHead
}

// minHead is the number of bytes that net/http waits for before it takes a connection
// that had a request for one with another. One that ends before was idle.
const minHead = 4

// endOfInput takes the connection out of the lane when it ends or a deadline passes.
// net/http gets the part of a head that has arrived, and answers.
func (c *conn) endOfInput(head []byte, err error) (int, error) {
	c.detach()
	if c.idles(head) {
		return 0, err
	}
	return len(head), nil // its next Read fails as this one did
}

// abandon closes a connection that cannot go on, or that was closed meanwhile. It returns
// the error at which net/http sends the client nothing.
func (c *conn) abandon() error {
	c.detach()
	_ = c.end()
	return io.EOF
}

// readDeadline ends waits as it would end a read of the connection.
type readDeadline struct {
	mu      sync.Mutex
	until   time.Time     // zero: none
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

// wait returns when the deadline passes or the connection is closed, with the error that a read would
// return. For an abort it returns only when a deadline in the past is set, as net/http does to end its
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

// SetReadDeadline moves the first deadline after the lane, for the whole request:
// net/http counts it from the start of the connection.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.handedOver && !t.IsZero() {
		t = t.Add(c.shift)
	}
	if c.handedOver {
		c.shift = 0
	}
	return c.setReadDeadline(t)
}

// Setting a deadline costs more than parsing a request. So the lane sets each later than
// asked for, by this part of its time, and again only when that is used up.
const (
	deadlineSlack    = 16
	maxDeadlineSlack = time.Second
)

// boundIdle bounds the wait for another request.
func (c *conn) boundIdle() {
	c.headSince = time.Time{}
	if c.lane.idleTimeout <= 0 {
		_ = c.setReadDeadline(time.Time{}) // the first request had one
		return
	}
	if until, due := renew(c.readUntil, time.Now(), c.lane.idleTimeout); due {
		c.readUntil = until
		_ = c.setReadDeadline(until) // fails where the next Read does
	}
}

// boundHead gives a head that arrives in pieces the time that net/http would give it. For
// the first head on a connection net/http has done so.
func (c *conn) boundHead() {
	first := !c.answered && !c.started.IsZero()
	if first || !c.headSince.IsZero() {
		return
	}
	c.headSince = time.Now()
	c.readUntil = time.Time{}
	_ = c.setReadDeadline(deadlineAfter(c.headSince, c.lane.headTimeout)) // fails where the next Read does
}

func (c *conn) boundWrite(now time.Time) {
	if until, due := renew(c.writeUntil, now, c.lane.server.WriteTimeout); due {
		c.writeUntil = until
		_ = c.SetWriteDeadline(until)
	}
}

// renew returns the deadline that is to replace until, if one is due.
func renew(until, now time.Time, d time.Duration) (next time.Time, due bool) {
	if d <= 0 || until.Sub(now) >= d {
		return until, false
	}
	return now.Add(d + min(d/deadlineSlack, maxDeadlineSlack)), true
}

// deadlineAfter returns the deadline d after now; none for 0.
func deadlineAfter(now time.Time, d time.Duration) time.Time {
	if d <= 0 {
		return time.Time{}
	}
	return now.Add(d)
}
