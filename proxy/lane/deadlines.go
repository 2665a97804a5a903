package lane

import "time"

// SetReadDeadline moves the first deadline after the lane, that of the whole request:
// net/http counts it from the start of the connection.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.handedOver && !t.IsZero() {
		t = t.Add(c.shift)
	}
	if c.handedOver {
		c.shift = 0
	}
	return c.corkedConn.SetReadDeadline(t)
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
	if c.group.idleTimeout <= 0 {
		_ = c.corkedConn.SetReadDeadline(time.Time{}) // that of the first request
		return
	}
	if until, due := renew(c.readUntil, time.Now(), c.group.idleTimeout); due {
		c.readUntil = until
		_ = c.corkedConn.SetReadDeadline(until) // fails where the next Read does
	}
}

// boundHead gives a head that arrives in pieces the time that net/http would give it. For
// the first head on a connection net/http has done so.
func (c *conn) boundHead() {
	first := !c.answered && !c.started.IsZero()
	if first || !c.headSince.IsZero() {
		return
	}
	c.headSince, c.readUntil = time.Now(), time.Time{}
	_ = c.corkedConn.SetReadDeadline(deadlineAfter(c.headSince, c.group.headTimeout)) // fails where the next Read does
}

func (c *conn) boundWrite(now time.Time) {
	if until, due := renew(c.writeUntil, now, c.group.server.WriteTimeout); due {
		c.writeUntil = until
		_ = c.corkedConn.SetWriteDeadline(until)
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
