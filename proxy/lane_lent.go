package proxy

// Beside the handler of a request net/http reads one byte of what comes next, to
// hear of a client that hangs up. On a connection that is lent it does not get that
// byte, which is the lane's.

// lend says whether the connection is net/http's for one request alone.
func (c *laneConn) lend(framed bool) { c.lent = framed }

// listen is net/http's read on a connection that is lent. Once the client has sent
// more it ends only as net/http has it end: by a deadline that is over.
func (c *laneConn) listen(p []byte) (int, error) {
	n, err := c.corkedConn.Read(p[:1])
	if n == 0 {
		return n, err
	}
	c.ahead = append(c.ahead[:0], p[:n]...)
	return 0, c.reads.waitForAbort()
}

// takeAhead puts what was read ahead into p.
func (c *laneConn) takeAhead(p []byte) int {
	n := copy(p, c.ahead)
	c.ahead = c.ahead[:0]
	return n
}

// readOn is net/http's read on a connection that is its own.
func (c *laneConn) readOn(p []byte) (int, error) {
	if n := c.takeAhead(p); n > 0 {
		return n, nil
	}
	return c.corkedConn.Read(p)
}
