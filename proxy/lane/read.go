package lane

import (
	"io"
	"time"
)

// Read answers requests when net/http waits for one and holds no byte of it, and returns to net/http
// the bytes that are not for the lane.
func (c *conn) Read(p []byte) (int, error) {
	if c.phase == unread || c.phase == waiting {
		c.phase = reading
		if len(p) == readBuffer && !c.lane.down.Load() {
			return c.answerRequests(p)
		}
	}
	n := copy(p, c.readAhead)
	if n > 0 {
		c.readAhead = c.readAhead[:0]
		return n, nil
	}
	n, err := c.halfCloser.Read(p)
	if len(p) == 1 && (n == 1 && c.phase == serving || err == io.EOF && c.secured == nil) {
		c.readAhead = append(c.readAhead, p[:n]...)
		return 0, c.waitForAbort()
	}
	return n, err
}

// While a handler runs, net/http reads one byte after the request, to notice a client that disconnects. Only
// that read reads a single byte, or a head that fills net/http's buffer except for a byte. Read hides two
// results from it, and then returns once net/http aborts the read:
//
//   - A byte of the next request: net/http would have to serve that request too, and a client that is quick
//     would never get back to the lane.
//   - The end of input, unless under TLS. net/http cancels the request where that read fails, but a client may
//     close one half of the connection and wait for the response. The server cannot distinguish such a client from
//     a client that is gone, so the server no longer cancels an upstream call that nobody waits for, unless the
//     connection is reset. Varnish and Apache do the same; nginx cancels. Under TLS the end of input is a message of
//     its own, close_notify, which clients send when they close the connection: close_notify cancels the request,
//     as does the end of a connection without one.

// readBuffer is the size of the buffer that net/http reads heads into: a read with the whole buffer is of a
// net/http that holds nothing.
const readBuffer = 4096

// minHead is the number of bytes that net/http waits for before it takes a connection
// that had a request for one with another. One that ends before was idle.
const minHead = 4

// answerRequests answers requests until one is for net/http, and returns the unanswered bytes.
func (c *conn) answerRequests(p []byte) (int, error) {
	c.headSince = time.Time{}
	c.readUntil = time.Time{} // net/http has set deadlines since the lane has
	c.writeUntil = time.Time{}
	defer func() {
		if c.inside { // leaves also after a panic: net/http then calls Close, which would wait
			c.leave()
		}
	}()
	minimum := minHead // bytes that begin a request
	if !c.started.IsZero() {
		minimum = 1
	}
	n := copy(p, c.readAhead)
	c.readAhead = c.readAhead[:0]
	for {
		read, err := c.halfCloser.Read(p[n:])
		n += read
		if read == 0 && err != nil { // TLS returns both together, and the error again
			if n < minimum {
				return 0, err
			}
			return n, nil // the next Read of net/http fails as this one did
		}
		unanswered, err := c.answerAll(p[:n])
		answered := len(unanswered) < n
		if answered {
			minimum = minHead
		}
		n = copy(p, unanswered)
		switch {
		case err != nil:
			return 0, c.abandon()
		case n >= minimum && (!c.request.incomplete || n == len(p)):
			if c.inside && !c.started.IsZero() { // else net/http has set the deadlines, or will
				c.moveDeadlines()
			}
			return n, nil
		case answered && !c.pause():
			return 0, c.abandon()
		}
		if answered {
			c.boundIdle()
		}
		if n >= minimum {
			c.boundHead()
		}
	}
}

// abandon closes a connection that cannot go on, or that was closed meanwhile. The
// returned error makes net/http send the client nothing.
func (c *conn) abandon() error {
	_ = c.halfCloser.Close()
	return io.EOF
}
