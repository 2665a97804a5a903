package lane

import "time"

// While a handler runs, net/http reads one byte of what follows the request, to notice a
// client that disconnects. On a connection that returns after the request, that byte is
// the lane's: net/http does not get it.

// readBesideHandler is net/http's Read on a connection that returns. Once the client has
// sent more, it ends only as net/http ends it: by a deadline in the past.
func (c *conn) readBesideHandler(p []byte) (int, error) {
	n, err := c.corkedConn.Read(p[:1])
	if n == 0 {
		return n, err
	}
	c.readAhead = append(c.readAhead[:0], p[:n]...)
	return 0, c.reads.waitForAbort()
}

// takeReadAhead moves what was read ahead into p.
func (c *conn) takeReadAhead(p []byte) int {
	n := copy(p, c.readAhead)
	c.readAhead = c.readAhead[:0]
	return n
}

// readHandedOver is net/http's Read on a connection that it has for good.
func (c *conn) readHandedOver(p []byte) (int, error) {
	if n := c.takeReadAhead(p); n > 0 {
		return n, nil
	}
	return c.corkedConn.Read(p)
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
		_ = c.corkedConn.SetReadDeadline(deadlineAfter(since, c.group.headTimeout)) // fails where the next Read does
	}
	c.answerer, c.answered, c.headSince = nil, false, time.Time{}
	return copy(p, rest)
}
