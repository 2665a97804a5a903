package proxy

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Cork makes a server over l send an answer in one system call: net/http writes
// the header with the beginning of the body, and then the rest of the body. It
// saves a third of a hit of 40 KB and a tenth of one of 4 KB (BenchmarkCork). The
// server must have [ConnContext].
func Cork(l net.Listener) net.Listener { return corkedListener{l} }

// ConnContext tells the handler which connection it writes to; for
// [http.Server.ConnContext].
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(interface{ corked() *corkedConn }); ok {
		return context.WithValue(ctx, corkedKey{}, c.corked())
	}
	return ctx
}

type corkedKey struct{}

// hold has the connection of r wait with the beginning of an answer for what
// follows. Whoever calls it must write all of the answer, of this header and so
// many bytes, without waiting for anything.
func hold(r *http.Request, header http.Header, body int) {
	c, ok := r.Context().Value(corkedKey{}).(*corkedConn)
	if !ok {
		return
	}
	c.due = body
	if body <= firstPiece { // else the body alone does not fit
		c.due += headLength(header)
	}
}

// firstPiece is what net/http gathers before it writes. Were it more, answers of
// about that size would go in two pieces.
const firstPiece = 4 << 10

// headLength is what header fields take at least, in bytes.
func headLength(h http.Header) int {
	n := 0
	for name, values := range h {
		for _, v := range values {
			n += len(name) + len(": ") + len(v) + len("\r\n")
		}
	}
	return n
}

type corkedListener struct{ net.Listener }

func (l corkedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	whole, ok := c.(wholeConn)
	if !ok {
		return c, nil
	}
	return &corkedConn{wholeConn: whole, raw: rawConn(whole)}, nil
}

// rawConn is the connection that can send two pieces at once, below what counts
// it: package net hides how.
func rawConn(c wholeConn) wholeConn {
	if limited, ok := c.(*limitedConn); ok {
		return limited.wholeConn
	}
	return c
}

// wholeConn is what net/http asks of a connection where it can: half of it
// closed first, so that a client reads the last answer to its end.
type wholeConn interface {
	net.Conn
	CloseWrite() error
}

// corkedConn is written to by one goroutine at a time, as net/http does.
type corkedConn struct {
	wholeConn
	raw    wholeConn
	reads  readDeadline
	due    int    // bytes that this answer still has at least
	head   []byte // the beginning of an answer that waits; its array is kept
	pieces [2][]byte
}

func (c *corkedConn) corked() *corkedConn { return c }

// Write sends p, unless more is certain to follow at once.
func (c *corkedConn) Write(p []byte) (int, error) {
	if len(c.head) > 0 {
		return c.writeBoth(p)
	}
	more := len(p) < c.due
	c.due = 0
	if !more {
		return c.wholeConn.Write(p)
	}
	c.head = append(c.head, p...)
	return len(p), nil
}

func (c *corkedConn) writeBoth(p []byte) (n int, err error) {
	held := len(c.head)
	if held+len(p) <= onePiece {
		n, err = c.writeOne(p)
	} else {
		c.pieces = [2][]byte{c.head, p}
		both := net.Buffers(c.pieces[:])
		var sent int64
		sent, err = both.WriteTo(c.raw)
		n, c.pieces = int(sent), [2][]byte{}
	}
	c.head = c.head[:0]
	return max(0, n-held), err
}

// onePiece is up to where it is cheaper to copy two pieces into one than to have the
// system gather them: by a seventh of a hit of 4 KB in the lane (calbench -only lane).
const onePiece = 16 << 10

var onePieces = sync.Pool{New: func() any { return new([onePiece]byte) }}

func (c *corkedConn) writeOne(p []byte) (int, error) {
	b := onePieces.Get().(*[onePiece]byte)
	defer onePieces.Put(b)
	return c.raw.Write(append(append(b[:0], c.head...), p...))
}
