package lane

import "io"

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
		if n == 0 && err != nil {
			return c.endOfInput(p[:kept], err)
		} // TLS returns both together, and the error again
		before := c.state.Load()
		if before != fresh && before != idle || !c.transition(before, answering) {
			return 0, c.abandon()
		}
		n += kept
		rest, left, err := c.answerAll(p[:n])
		if len(rest) < n {
			before = idle
		}
		if err == nil && !c.idles(rest) && (left != partial || len(rest) == len(p)) {
			c.returns = left == framed
			return c.handOver(p, rest), nil
		}
		if err != nil || !c.transition(answering, before) {
			return 0, c.abandon()
		}
		if c.group.down.Load() {
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
