package lane

import (
	"io"
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

// endOfInput takes the connection out of the lane at the end of input or after a deadline.
// net/http gets the part of a head that has arrived, and answers.
func (c *conn) endOfInput(head []byte, err error) (int, error) {
	c.detach()
	if c.idles(head) {
		return 0, err
	}
	return len(head), nil // the next Read of net/http fails as this one did
}

// abandon closes a connection that cannot go on, or that was closed meanwhile. The
// returned error makes net/http send the client nothing.
func (c *conn) abandon() error {
	c.detach()
	_ = c.end()
	return io.EOF
}

// While a handler runs, net/http reads one byte after the request, to notice a
// client that disconnects. On a connection that returns after the request, that byte is
// the lane's: net/http does not get it.

// readBesideHandler is net/http's Read on a connection that returns. Once the client has
// sent more, only net/http ends the read: by a deadline in the past.
func (c *conn) readBesideHandler(p []byte) (int, error) {
	n, err := c.read(p[:1])
	if n == 0 {
		return n, err
	}
	c.readAhead = append(c.readAhead[:0], p[:n]...)
	return 0, c.reads.wait(true)
}

// takeReadAhead moves the byte that was read ahead into p.
func (c *conn) takeReadAhead(p []byte) int {
	n := copy(p, c.readAhead)
	c.readAhead = c.readAhead[:0]
	return n
}

// handOver gives the connection to net/http, with the unanswered bytes in p. The bytes that were read
// are answered, also on a connection that was to be closed after the response.
func (c *conn) handOver(p, unanswered []byte) int {
	c.detach()
	if c.answered && !c.started.IsZero() { // else net/http has set the deadlines, or will
		since := c.headSince
		if since.IsZero() {
			since = time.Now()
		}
		c.shift = since.Sub(c.started)
		_ = c.setReadDeadline(deadlineAfter(since, c.lane.headTimeout)) // fails where the next Read does
	}
	c.answerer = nil
	c.answered = false
	c.headSince = time.Time{}
	return copy(p, unanswered)
}

// While a handler runs, net/http reads one byte after the request, and cancels
// the request where that read fails. The end of input is no reason to: a client may close
// one half of the connection and wait for the response. The server cannot distinguish such a client
// from a client that is gone, so the server no longer cancels an upstream call that nobody waits
// for, unless the connection is reset. Varnish and Apache do the same; nginx cancels.

// Under TLS the end of input is a message of its own, close_notify, which clients send when
// they close the connection: close_notify cancels the request, as does the end of a connection without one.

// read hides the end of input from the read beside a handler, which then ends at the
// deadline. Only that read reads a single byte, or a head that fills net/http's
// buffer except for a byte.
func (c *conn) read(p []byte) (int, error) {
	n, err := c.halfCloser.Read(p)
	if err == io.EOF && len(p) == 1 && c.secured == nil {
		return n, c.reads.wait(false)
	}
	return n, err
}

// SetReadDeadline moves the first deadline after the lane, for the whole request:
// net/http counts the deadline from the start of the connection.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.handedOver && !t.IsZero() {
		t = t.Add(c.shift)
	}
	if c.handedOver {
		c.shift = 0
	}
	return c.setReadDeadline(t)
}

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

// boundHead limits a head that arrives in pieces to the time that net/http would allow. For
// the first head on a connection net/http has set the limit.
func (c *conn) boundHead() {
	first := !c.answered && !c.started.IsZero()
	if first || !c.headSince.IsZero() {
		return
	}
	c.headSince = time.Now()
	c.readUntil = time.Time{}
	_ = c.setReadDeadline(deadlineAfter(c.headSince, c.lane.headTimeout)) // fails where the next Read does
}
