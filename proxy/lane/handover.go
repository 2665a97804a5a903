package lane

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
