package lane

import (
	"cmp"
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Lane answers plain hits straight from the connection, below net/http, which sees no
// bytes of them. At 64 connections that takes half the CPU of a bare net/http handler,
// for a body of 40 KB and of 4 KB (calbench -only hits).
//
// A connection is in the lane until the first request that the [Answerer] has no
// response to, or that is not a plain one. The lane reads no more of that request than
// its first line, unless the Answerer knows the target. net/http serves the request and
// all that arrived with it. The connection is in the lane again when net/http waits for
// another request and holds no byte of it. A head may arrive in pieces, if the head fits
// into net/http's buffer.
//
// The lane never answers a request that net/http would refuse or read otherwise, never answers
// with an error, and waits for nothing but the client. Requests with anything unknown are handed
// over.
//
// net/http takes a connection in the lane for an idle one, or, five seconds after the
// start, for one that will not be used. That has consequences:
//   - the lane sets deadlines of its own, and moves the one that net/http counts from
//     the start of the connection, at the handover;
//   - Close, which may be meant for an idle connection, lets a response end;
//   - [http.Server.Shutdown] does not wait for such a response: [Lane.Shutdown] does;
//   - a first head is refused as too long at the usual length, a further one up to
//     4,096 bytes later than without the lane;
//   - a head that does not end, after a request that net/http served, has twice the time.
type Lane struct {
	answerer    func(client net.Addr) Answerer // makes the Answerer of a connection
	server      *http.Server                   // for the WriteTimeout
	idleTimeout time.Duration                  // the server's timeouts, as net/http derives them; 0 disables the limit
	headTimeout time.Duration

	down   atomic.Bool // no connection enters the lane any more
	mu     sync.Mutex
	inside map[*conn]chan struct{} // with a response in the lane; the channel is closed when the connection leaves
}

// New returns a lane beside a server that does not serve yet. answerer makes the Answerer of each connection.
// The timeouts of the server are the lane's: neither these nor ConnState may change.
func New(s *http.Server, answerer func(client net.Addr) Answerer) *Lane {
	next := s.ConnState
	s.ConnState = func(nc net.Conn, state http.ConnState) {
		if next != nil {
			next(nc, state)
		}
		if accepted, ok := nc.(carrier); ok {
			c := accepted.laneConn()
			switch state {
			case http.StateActive:
				c.phase = serving
			case http.StateIdle:
				c.phase = served
				c.started = time.Time{}
			}
		}
	}
	return &Lane{
		answerer: answerer, server: s, inside: map[*conn]chan struct{}{},
		idleTimeout: cmp.Or(s.IdleTimeout, s.ReadTimeout), headTimeout: cmp.Or(s.ReadHeaderTimeout, s.ReadTimeout),
	}
}

// Shutdown closes the idle connections in the lane, and each connection with a response
// under way after that response, for which Shutdown waits until ctx ends. Connections
// without a response in the lane are left to the server. Answerers must find no response by then.
func (l *Lane) Shutdown(ctx context.Context) error {
	l.down.Store(true)
	conns := l.conns()
	for c := range conns { // all, before waiting for any
		_ = c.Close()
	}
	for _, end := range conns {
		select {
		case <-end:
		case <-ctx.Done():
			for c := range l.conns() {
				_ = c.halfCloser.Close()
			}
			return ctx.Err()
		}
	}
	return nil
}

func (l *Lane) conns() map[*conn]chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.inside)
}

// conn is used only by the goroutine in which net/http serves the connection, except for the
// read beside a handler, and for Close. One goroutine at a time writes, as net/http does.
type conn struct {
	halfCloser
	secured secured // nil: not TLS
	due     int     // minimum bytes that the response still has
	held    []byte  // the beginning of a response; in the lane the array is reused
	pooled  *[]byte // the array of held, unless that is the lane's

	lane      *Lane // nil: net/http has the connection from the beginning
	phase     phase
	request   Request  // the last request; reused, because a request escapes to the Answerer
	answerer  Answerer // nil before the first request
	inside    bool     // the lane has answered since the connection was accepted, or since net/http served a request
	readAhead []byte   // of the next request, while net/http serves a request: at most a byte

	started    time.Time     // zero once net/http has served a request, and so counts from later requests
	headSince  time.Time     // zero: the head at hand arrived in one piece
	readUntil  time.Time     // deadlines as the lane has set them; zero: not set
	writeUntil time.Time     //
	shift      time.Duration // of the next deadline that net/http counts from the start

	date       []byte // of the last response
	dateSecond int64  // Unix time of date

	closing atomic.Bool // Close was called during a response

	mu        sync.Mutex
	answering bool // until the responses to all requests that were read are sent: Close waits for them
	closed    bool
	deadline  time.Time // of reads; zero disables the deadline
	changed   sync.Cond // deadline or closed
}

// phase is the progress of net/http on a connection. Its calls show the phase, in this order (TestNetHTTP):
// [http.StateIdle], SetReadDeadline, Read for the first bytes of a request unless net/http has such bytes,
// SetReadDeadline, Read for the rest of the head, [http.StateActive]. The buffer of a Read of the head
// is as large as what net/http holds leaves room for.
type phase int

const (
	reading phase = iota // a head
	unread               // no byte was read from the connection
	serving              // the head was read
	served
	waiting // for the first bytes of a request
)

// carrier is a connection of the lane, or a connection that embeds one.
type carrier interface{ laneConn() *conn }

func (c *conn) laneConn() *conn { return c }

// halfCloser is a connection that net/http closes for writing first, so that a client
// reads the complete last response.
type halfCloser interface {
	net.Conn
	CloseWrite() error
}

// secured is a TLS connection. Read and Write have decrypted data.
type secured interface {
	ConnectionState() tls.ConnectionState
}

// Close closes a connection at once, or after the response if the lane answers.
func (c *conn) Close() error {
	c.mu.Lock()
	if c.answering {
		c.closing.Store(true)
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.changed.Broadcast()
	c.mu.Unlock()
	return c.halfCloser.Close()
}

// enter makes Close and Shutdown wait for a response. A closed connection cannot enter.
func (c *conn) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answering = !c.closed
	if c.answering && !c.inside {
		c.inside = true
		c.lane.mu.Lock()
		defer c.lane.mu.Unlock()
		c.lane.inside[c] = make(chan struct{})
	}
	return c.answering
}

// pause ends the wait of Close, before the lane waits for the client. A connection that was closed meanwhile
// does not stay open.
func (c *conn) pause() (staysOpen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answering = false
	return !c.closing.Load()
}

// leave takes the connection out of the lane: net/http has it.
func (c *conn) leave() {
	c.inside = false
	c.mu.Lock()
	c.answering = false
	c.closing.Store(false)
	c.mu.Unlock()
	c.lane.mu.Lock()
	defer c.lane.mu.Unlock()
	close(c.lane.inside[c])
	delete(c.lane.inside, c)
}
