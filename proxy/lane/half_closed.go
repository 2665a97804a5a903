package lane

import (
	"io"
	"time"
)

// While a handler runs, net/http reads one byte of what follows the request, and cancels
// the request where that read fails. The end of input is no reason to: a client may close
// its half of the connection and wait for the response. The server cannot distinguish it
// from a client that is gone, so it no longer cancels an upstream call that nobody waits
// for, unless the connection is reset. Varnish and Apache do the same; nginx cancels.

// Under TLS the end of input is a message of its own, close_notify, which clients send when
// they close the connection: it cancels the request, as a connection does that ends without.

// Read hides the end of input from the read beside a handler, which then ends by its
// deadline. Only that read is of a single byte, or one of a head that fills net/http's
// buffer except for a byte.
func (c *corkedConn) Read(p []byte) (int, error) {
	n, err := c.halfCloser.Read(p)
	if err == io.EOF && len(p) == 1 && c.secured == nil {
		return n, c.reads.wait()
	}
	return n, err
}

// SetReadDeadline bounds reads, and what Read waits for.
func (c *corkedConn) SetReadDeadline(t time.Time) error {
	c.reads.set(t)
	return c.halfCloser.SetReadDeadline(t)
}

// SetDeadline bounds reads and writes.
func (c *corkedConn) SetDeadline(t time.Time) error {
	c.reads.set(t)
	return c.halfCloser.SetDeadline(t)
}

// Close closes the connection, and ends what Read waits for.
func (c *corkedConn) Close() error {
	c.reads.close()
	return c.halfCloser.Close()
}
