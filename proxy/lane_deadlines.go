package proxy

import "time"

// SetReadDeadline moves the first deadline after the lane, that of the whole
// request: net/http began to count when the connection did.
func (c *laneConn) SetReadDeadline(t time.Time) error {
	if c.left && !t.IsZero() {
		t = t.Add(c.late)
	}
	if c.left {
		c.late = 0
	}
	return c.corkedConn.SetReadDeadline(t)
}

// Deadlines are late by at most this part of their time, and set anew only then:
// that is dearer than to parse a request.
const (
	deadlinePart = 16
	deadlineMost = time.Second
)

func (c *laneConn) boundRead() {
	c.headBegan = time.Time{}
	if c.lane.idle <= 0 {
		_ = c.corkedConn.SetReadDeadline(time.Time{}) // that of the first request
		return
	}
	if until, due := renew(c.readUntil, time.Now(), c.lane.idle); due {
		c.readUntil = until
		_ = c.corkedConn.SetReadDeadline(until) // fails where the next Read does
	}
}

// boundHead gives a head that comes in pieces the time that net/http would. For the
// first on a connection net/http has done so.
func (c *laneConn) boundHead() {
	first := c.x == nil && !c.began.IsZero()
	if first || !c.headBegan.IsZero() {
		return
	}
	c.headBegan, c.readUntil = time.Now(), time.Time{}
	_ = c.corkedConn.SetReadDeadline(after(c.headBegan, c.lane.header)) // fails where the next Read does
}

func (c *laneConn) boundWrite(now time.Time) {
	if until, due := renew(c.sendUntil, now, c.lane.options.Server.WriteTimeout); due {
		c.sendUntil = until
		_ = c.corkedConn.SetWriteDeadline(until)
	}
}

// renew gives the deadline that is to take the place of until.
func renew(until, now time.Time, d time.Duration) (next time.Time, due bool) {
	if d <= 0 || until.Sub(now) >= d {
		return until, false
	}
	return now.Add(d + min(d/deadlinePart, deadlineMost)), true
}

// after is the deadline d from now; 0 is none.
func after(now time.Time, d time.Duration) time.Time {
	if d <= 0 {
		return time.Time{}
	}
	return now.Add(d)
}
