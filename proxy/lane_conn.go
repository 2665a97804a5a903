package proxy

import (
	"io"
	"sync/atomic"
	"time"
)

// laneConn is used by the goroutine alone that net/http serves it on, until it has
// left the lane; but for Close.
type laneConn struct {
	*corkedConn
	lane  *Lane
	x     *exchange // nil until the first answer
	state atomic.Int32
	left  bool // it is net/http's
	lent  bool // for one request, of which net/http has all and of what follows nothing

	ahead []byte // of the next request, while lent: none, or a byte

	began     time.Time // zero: net/http has begun to count anew
	headBegan time.Time // zero: the head at hand came in one piece
	readUntil time.Time // deadlines as they were set; zero: not by the lane
	sendUntil time.Time
	late      time.Duration // of what net/http counts from the beginning

	date   []byte // of the last answer, and the second that it is of
	second int64
}

// The states.
const (
	out     int32 = iota // of the lane
	unheard              // no request in the lane yet
	waiting              // for another one
	busy                 // with an answer, after which it waits
	closing              // after its answer
	closed               // for good
)

// turn changes the state, if it is from.
func (c *laneConn) turn(from, to int32) bool { return c.state.CompareAndSwap(from, to) }

// end takes the connection out of the lane.
func (c *laneConn) end() {
	for s := c.state.Load(); s != out && s != closed; s = c.state.Load() {
		if c.turn(s, out) {
			c.lane.forget(c)
		}
	}
}

// Read gives net/http what is not for the lane.
func (c *laneConn) Read(p []byte) (int, error) {
	if c.lent {
		return c.listen(p)
	}
	if c.left {
		return c.readOn(p)
	}
	defer func() {
		if c.state.Load() != out { // a panic, which net/http ends with a Close that would wait
			_ = c.abandon()
		}
	}()
	for kept := c.takeAhead(p); ; {
		n, err := c.wholeConn.Read(p[kept:])
		if err != nil {
			return c.endIn(p[:kept], err)
		}
		was := c.state.Load()
		if was != unheard && was != waiting || !c.turn(was, busy) {
			return 0, c.abandon()
		}
		n += kept
		rest, left, err := c.answerAll(p[:n])
		if len(rest) < n {
			was = waiting
		}
		if err == nil && !c.idles(rest) && (left != begun || len(rest) == len(p)) {
			c.lend(left == framed)
			return c.leave(p, rest), nil
		}
		if err != nil || !c.turn(busy, was) {
			return 0, c.abandon()
		}
		if c.lane.down.Load() {
			if was == unheard {
				return c.leave(p, rest), nil
			}
			c.closeWaiting()
		}
		if len(rest) < n {
			c.boundRead()
		}
		if !c.idles(rest) {
			c.boundHead()
		}
		kept = copy(p, rest)
	}
}

// idles reports whether what was read is no request yet.
func (c *laneConn) idles(rest []byte) bool {
	return len(rest) == 0 || c.x != nil && len(rest) < leastHead
}

// leastHead is what net/http wants to see of a further request before it takes it
// for one. A connection that ends before is one that was idle.
const leastHead = 4

// endIn ends the lane where the connection ends, or its time does. net/http has the
// last word if that is in the middle of a head.
func (c *laneConn) endIn(head []byte, err error) (int, error) {
	c.left = true
	c.end()
	if c.idles(head) {
		return 0, err
	}
	return len(head), nil // its next Read fails as this one did
}

// abandon ends a connection that cannot go on, or was closed meanwhile. The error
// is the one at which net/http says nothing to the client.
func (c *laneConn) abandon() error {
	c.left = true
	c.end()
	_ = c.corkedConn.Close()
	return io.EOF
}

// remainder is what is left of what was read.
type remainder int

const (
	anything remainder = iota
	begun              // the beginning of a request that the lane may answer
	framed             // one request and nothing else
)

// answerAll answers requests from the beginning of b, and gives what is left: all
// after the one at which the connection was closed, too.
func (c *laneConn) answerAll(b []byte) (rest []byte, left remainder, err error) {
	for len(b) > 0 && c.state.Load() == busy {
		h, n, more := parseHead(b)
		if more {
			return b, begun, nil
		}
		if n == 0 {
			return b, anything, nil
		}
		if answered, err := c.answerNow(&h); err != nil || !answered {
			if n < len(b) {
				return b, anything, err
			}
			return b, framed, err
		}
		b = b[n:]
	}
	return b, anything, nil
}

func (c *laneConn) answerNow(h *laneHead) (answered bool, err error) {
	f, done := c.lane.options.Facade()
	if f == nil {
		return false, nil
	}
	defer done()
	return c.answer(f, h)
}

// leave gives the connection to net/http, with what is left in p. One that was to be
// closed after the answer too: what was read is answered.
func (c *laneConn) leave(p, rest []byte) int {
	c.left = true
	c.end()
	if c.x != nil && !c.began.IsZero() { // else all is as net/http has set it, or will
		began := c.headBegan
		if began.IsZero() {
			began = time.Now()
		}
		c.late = began.Sub(c.began)
		_ = c.corkedConn.SetReadDeadline(after(began, c.lane.header)) // fails where the next Read does
	}
	c.x, c.headBegan = nil, time.Time{}
	return copy(p, rest)
}

// comeBack puts a connection that was lent into the lane again. net/http has
// answered, and holds nothing of the next request; it has not begun to wait for it.
func (c *laneConn) comeBack() {
	lent := c.lent
	c.lent = false
	if !lent || !c.lane.take(c) {
		return
	}
	c.left = false
	c.began, c.readUntil, c.sendUntil = time.Time{}, time.Time{}, time.Time{}
}

// Close closes a connection that waits, or is net/http's, at once, and one that the
// lane answers on after that.
func (c *laneConn) Close() error {
	for {
		switch s := c.state.Load(); {
		case s == closing, s == busy && c.turn(busy, closing):
			return nil
		case s == closed, s == out && c.turn(out, closed):
			return c.corkedConn.Close()
		case s != busy && s != out && c.turn(s, closed):
			c.lane.forget(c)
			return c.corkedConn.Close()
		}
	}
}

// closeWaiting closes a connection on which there was an answer and is none now.
func (c *laneConn) closeWaiting() {
	if c.turn(waiting, closed) {
		c.lane.forget(c)
		_ = c.corkedConn.Close()
	}
}
