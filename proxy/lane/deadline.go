package lane

import (
	"net"
	"os"
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

// boundIdle bounds the wait for another request.
func (c *conn) boundIdle() {
	c.headSince = time.Time{}
	if c.lane.idleTimeout <= 0 {
		_ = c.SetReadDeadline(time.Time{}) // the first request had one
		return
	}
	if until, ok := renew(c.readUntil, time.Now(), c.lane.idleTimeout); ok {
		c.readUntil = until
		_ = c.SetReadDeadline(until) // fails where the next Read does
	}
}

// boundHead limits a head that arrives in pieces to the time that net/http would allow. For
// the first head on a connection net/http has set the limit.
func (c *conn) boundHead() {
	first := !c.inside && !c.started.IsZero()
	if first || !c.headSince.IsZero() {
		return
	}
	c.headSince = time.Now()
	c.readUntil = time.Time{}
	_ = c.SetReadDeadline(deadlineAfter(c.headSince, c.lane.headTimeout)) // fails where the next Read does
}

// moveDeadlines gives the request that is handed over the time that net/http would allow: net/http counts
// the deadlines of a first request from the start of the connection, which was in the lane since.
func (c *conn) moveDeadlines() {
	since := c.headSince
	if since.IsZero() {
		since = time.Now()
	}
	_ = c.SetReadDeadline(deadlineAfter(since, c.lane.headTimeout)) // fails where the next Read does
	c.shift = since.Sub(c.started)
}

// SetReadDeadline bounds reads, and the wait of waitForAbort. The first deadline after moveDeadlines is for the whole
// request, and counts from the start of the connection.
func (c *conn) SetReadDeadline(t time.Time) error {
	switch c.phase {
	case served:
		c.phase = waiting
	case waiting:
		c.phase = reading
	}
	if c.shift != 0 {
		if !t.IsZero() {
			t = t.Add(c.shift)
		}
		c.shift = 0
	}
	c.mu.Lock()
	c.deadline = t
	c.changed.Broadcast()
	c.mu.Unlock()
	return c.halfCloser.SetReadDeadline(t)
}

// SetDeadline bounds reads and writes.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// waitForAbort returns when the deadline passes, or the connection is closed, with the error of a read. net/http
// ends the read beside a handler by a deadline in the past. A head that ends just before net/http's buffer is full has
// a deadline in the future.
func (c *conn) waitForAbort() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.closed && (c.deadline.IsZero() || time.Now().Before(c.deadline)) {
		if !c.deadline.IsZero() {
			time.AfterFunc(time.Until(c.deadline), c.wake)
		}
		c.changed.Wait()
	}
	if c.closed {
		return net.ErrClosed
	}
	return os.ErrDeadlineExceeded
}

// wake makes waitForAbort look at the deadline again.
func (c *conn) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed.Broadcast()
}
