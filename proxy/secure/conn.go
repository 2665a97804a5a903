package secure

import (
	"crypto/tls"
	"sync"
	"sync/atomic"
)

// Conn is a TLS connection that sends what one call writes in one system call. One
// goroutine at a time may write.
type Conn struct {
	*tls.Conn
	below   *gatherer
	writing atomic.Bool
}

// Write implements [net.Conn].
func (c *Conn) Write(p []byte) (int, error) { return c.WriteBoth(p, nil) }

// WriteBoth writes two pieces as if they were one. n is the bytes of both that were sent.
func (c *Conn) WriteBoth(first, second []byte) (n int, err error) {
	c.writing.Store(true)
	defer c.writing.Store(false)
	c.below.hold()
	n, err = c.encrypt(first, second)
	if unsent, failed := c.below.release(); failed != nil {
		return max(0, n-unsent), failed
	}
	return n, err
}

// maxRecord is the length of the plaintext of a record (RFC 8446, 5.1).
const maxRecord = 16 << 10

var recordBuffers = sync.Pool{New: func() any { return new([maxRecord]byte) }}

// encrypt writes both pieces in as few records as one.
func (c *Conn) encrypt(first, second []byte) (n int, err error) {
	if len(first) > 0 && len(second) > 0 && len(first) < maxRecord {
		b := recordBuffers.Get().(*[maxRecord]byte)
		defer recordBuffers.Put(b)
		room := copy(b[copy(b[:], first):], second)
		first, second = b[:len(first)+room], second[room:]
	}
	for _, p := range [][]byte{first, second} {
		if len(p) == 0 {
			continue
		}
		var m int
		m, err = c.Conn.Write(p)
		if n += m; err != nil {
			break
		}
	}
	return n, err
}

// Close closes a connection that waits for its client to read at once, and any other after
// close_notify.
func (c *Conn) Close() error {
	if c.writing.Load() {
		_ = c.below.Conn.Close()
	}
	return c.Conn.Close()
}
