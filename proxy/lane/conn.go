package lane

import (
	"io"
	"sync/atomic"
	"time"
)

// conn is used only by the goroutine in which net/http serves it, until it is handed
// over; except for Close.
type conn struct {
	*corkedConn
	lane     *Lane
	request  Request  // the last one; it escapes to the Answerer, so one serves all
	answerer Answerer // nil before the first request in the lane
	state    atomic.Int32
	answered bool // in the lane, since it was accepted or taken back

	handedOver bool   // net/http has the connection
	returns    bool   // after one request, of which net/http has all and of what follows nothing
	readAhead  []byte // of the next request, while net/http serves that one: at most a byte

	started    time.Time     // zero once the connection was taken back: net/http counts anew
	headSince  time.Time     // zero: the head at hand arrived in one piece
	readUntil  time.Time     // deadlines as the lane has set them; zero: it has not
	writeUntil time.Time     //
	shift      time.Duration // of the next deadline that net/http counts from the start

	date       []byte // of the last response
	dateSecond int64  // Unix time of date
}

// The states.
const (
	outside   int32 = iota // the lane
	fresh                  // no request in the lane yet
	idle                   // waiting for another request
	answering              // idle after the response
	closing                // closed after the response
	closed
)

// transition changes the state, if it is from.
func (c *conn) transition(from, to int32) bool { return c.state.CompareAndSwap(from, to) }

// detach takes the connection out of the lane.
func (c *conn) detach() {
	for s := c.state.Load(); s != outside && s != closed; s = c.state.Load() {
		if c.transition(s, outside) {
			c.lane.remove(c)
		}
	}
}

// Read answers requests, and returns to net/http the bytes that are not for the lane.
func (c *conn) Read(p []byte) (int, error) {
	if c.returns {
		return c.readBesideHandler(p)
	}
	if c.handedOver {
		return c.readHandedOver(p)
	}
	defer func() {
		if c.state.Load() != outside { // a panic, after which net/http calls a Close that would wait
			_ = c.abandon()
		}
	}()
	for kept := c.takeReadAhead(p); ; {
		n, err := c.halfCloser.Read(p[kept:])
		if err != nil {
			return c.endOfInput(p[:kept], err)
		}
		before := c.state.Load()
		if before != fresh && before != idle || !c.transition(before, answering) {
			return 0, c.abandon()
		}
		n += kept
		rest, left, err := c.answerAll(p[:n])
		if len(rest) < n {
			before = idle
		}
		if err == nil && !c.idles(rest) && (left != begun || len(rest) == len(p)) {
			c.returns = left == framed
			return c.handOver(p, rest), nil
		}
		if err != nil || !c.transition(answering, before) {
			return 0, c.abandon()
		}
		if c.lane.down.Load() {
			if before == fresh {
				return c.handOver(p, rest), nil
			}
			c.closeIdle()
		}
		if len(rest) < n {
			c.boundIdle()
		}
		if !c.idles(rest) {
			c.boundHead()
		}
		kept = copy(p, rest)
	}
}

// idles reports whether the bytes read so far are no request yet.
func (c *conn) idles(rest []byte) bool {
	return len(rest) == 0 || c.answered && len(rest) < minHead
}

// minHead is the number of bytes that net/http waits for before it takes a connection
// that had a request for one with another. One that ends before was idle.
const minHead = 4

// endOfInput takes the connection out of the lane when it ends or a deadline passes.
// net/http gets what there is of a head, and answers.
func (c *conn) endOfInput(head []byte, err error) (int, error) {
	c.handedOver = true
	c.detach()
	if c.idles(head) {
		return 0, err
	}
	return len(head), nil // its next Read fails as this one did
}

// abandon closes a connection that cannot go on, or that was closed meanwhile. It returns
// the error at which net/http sends the client nothing.
func (c *conn) abandon() error {
	c.handedOver = true
	c.detach()
	_ = c.corkedConn.Close()
	return io.EOF
}

// handOver gives the connection to net/http, with the unanswered bytes in p. Also one
// that was to be closed after the response: what was read is answered.
func (c *conn) handOver(p, rest []byte) int {
	c.handedOver = true
	c.detach()
	if c.answered && !c.started.IsZero() { // else all is as net/http has set it, or will
		since := c.headSince
		if since.IsZero() {
			since = time.Now()
		}
		c.shift = since.Sub(c.started)
		_ = c.corkedConn.SetReadDeadline(after(since, c.lane.header)) // fails where the next Read does
	}
	c.answerer, c.answered, c.headSince = nil, false, time.Time{}
	return copy(p, rest)
}

// takeBack puts a connection that was handed over for one request into the lane again.
// net/http has answered, holds nothing of the next request, and does not wait for it yet.
func (c *conn) takeBack() {
	returns := c.returns
	c.returns = false
	if !returns || !c.lane.add(c) {
		return
	}
	c.handedOver = false
	c.started, c.readUntil, c.writeUntil = time.Time{}, time.Time{}, time.Time{}
}

// Close closes a connection that is idle, or net/http's, at once, and one that the lane
// answers on after the response.
func (c *conn) Close() error {
	for {
		switch s := c.state.Load(); {
		case s == closing, s == answering && c.transition(answering, closing):
			return nil
		case s == closed, s == outside && c.transition(outside, closed):
			return c.corkedConn.Close()
		case s != answering && s != outside && c.transition(s, closed):
			c.lane.remove(c)
			return c.corkedConn.Close()
		}
	}
}

// closeIdle closes a connection that waits for another request in the lane.
func (c *conn) closeIdle() {
	if c.transition(idle, closed) {
		c.lane.remove(c)
		_ = c.corkedConn.Close()
	}
}
