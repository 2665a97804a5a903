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
// response to, or that is not a plain one. The connection is then handed over to
// net/http: for that one request if the lane has framed the request and handed over nothing
// else, whatever the client has sent since; else for good, because the lane knows the
// end of a request only as long as the lane has framed all requests before. A head may
// arrive in pieces, if the head fits into net/http's buffer.
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
	inside map[*conn]chan struct{} // the channel is closed when the connection leaves
}

// New returns a lane beside a server that does not serve yet. answerer makes the Answerer of each connection.
// The timeouts of the server are the lane's: neither these nor ConnState may change.
func New(s *http.Server, answerer func(client net.Addr) Answerer) *Lane {
	next := s.ConnState
	s.ConnState = func(nc net.Conn, state http.ConnState) {
		if next != nil {
			next(nc, state)
		}
		if c, ok := nc.(carrier); ok && state == http.StateIdle {
			c.laneConn().takeBack()
		}
	}
	return &Lane{
		answerer: answerer, server: s, inside: map[*conn]chan struct{}{},
		idleTimeout: cmp.Or(s.IdleTimeout, s.ReadTimeout), headTimeout: cmp.Or(s.ReadHeaderTimeout, s.ReadTimeout),
	}
}

// Shutdown closes the idle connections in the lane, and each connection with a response
// under way after that response, for which Shutdown waits until ctx ends. Connections
// without a request so far are left to the server. Answerers must find no response by then.
func (l *Lane) Shutdown(ctx context.Context) error {
	l.down.Store(true)
	conns := l.conns()
	for c := range conns { // all, before waiting for any
		c.closeIdle()
	}
	for c, end := range conns {
		if c.state.Load() == fresh {
			continue
		}
		select {
		case <-end:
		case <-ctx.Done():
			for c := range l.conns() {
				_ = c.end()
			}
			return ctx.Err()
		}
	}
	return nil
}

// conn is used only by the goroutine in which net/http serves the connection, until the
// handover; except for Close. One goroutine at a time writes, as net/http does.
type conn struct {
	halfCloser
	raw     halfCloser
	secured secured // nil: not TLS
	reads   readDeadline
	due     int     // minimum bytes that the response still has
	held    []byte  // the beginning of a response; in the lane the array is reused
	pooled  *[]byte // the array of held, unless that is the lane's

	lane     *Lane    // nil: net/http has the connection from the beginning
	request  Request  // the last request; reused, because a request escapes to the Answerer
	answerer Answerer // nil before the first request in the lane
	state    atomic.Int32
	answered bool // in the lane, since the connection was accepted or taken back

	handedOver bool   // net/http has the connection
	returns    bool   // net/http has read exactly one request and nothing else
	readAhead  []byte // of the next request, while net/http serves that one: at most a byte

	started    time.Time     // zero once the connection was taken back: net/http counts from then on
	headSince  time.Time     // zero: the head at hand arrived in one piece
	readUntil  time.Time     // deadlines as the lane has set them; zero: not set
	writeUntil time.Time     //
	shift      time.Duration // of the next deadline that net/http counts from the start

	date       []byte // of the last response
	dateSecond int64  // Unix time of date
}

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

// The states.
const (
	outside   int32 = iota // the lane
	fresh                  // no request in the lane yet
	idle                   // waiting for another request
	answering              // idle after the response
	closing                // closed after the response
	closed
)

// transition changes the state from old to next, and reports whether the state was old.
func (c *conn) transition(old, next int32) bool { return c.state.CompareAndSwap(old, next) }

// detach takes the connection out of the lane: net/http has it.
func (c *conn) detach() {
	c.handedOver = true
	for s := c.state.Load(); s != outside && s != closed; s = c.state.Load() {
		if c.transition(s, outside) {
			c.lane.remove(c)
		}
	}
}

// takeBack puts a connection that was handed over for one request into the lane again.
// net/http has answered, holds nothing of the next request, and does not wait for it yet.
func (c *conn) takeBack() {
	returns := c.returns
	c.returns = false
	if !returns || !c.lane.add(c) {
		return
	}
	c.handedOver = false
	c.started = time.Time{}
	c.readUntil = time.Time{}
	c.writeUntil = time.Time{}
}

// Close closes a connection that is idle, or net/http's, at once, and one that the lane
// answers on after the response.
func (c *conn) Close() error {
	for {
		switch s := c.state.Load(); {
		case s == closing, s == answering && c.transition(answering, closing):
			return nil
		case s == closed, s == outside && c.transition(outside, closed):
			return c.end()
		case s != answering && s != outside && c.transition(s, closed):
			c.lane.remove(c)
			return c.end()
		}
	}
}

// closeIdle closes a connection that waits for another request in the lane.
func (c *conn) closeIdle() {
	if c.transition(idle, closed) {
		c.lane.remove(c)
		_ = c.end()
	}
}

func (l *Lane) conns() map[*conn]chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.inside)
}

// add puts a connection into the lane, unless the lane is down.
func (l *Lane) add(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down.Load() || !c.transition(outside, fresh) {
		return false
	}
	l.inside[c] = make(chan struct{})
	return true
}

func (l *Lane) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.inside[c])
	delete(l.inside, c)
}

// setReadDeadline bounds reads, and the waits of read.
func (c *conn) setReadDeadline(t time.Time) error {
	c.reads.change(t, false)
	return c.halfCloser.SetReadDeadline(t)
}

// SetDeadline bounds reads and writes.
func (c *conn) SetDeadline(t time.Time) error {
	c.reads.change(t, false)
	return c.halfCloser.SetDeadline(t)
}

// end closes the connection, and ends the waits of read.
func (c *conn) end() error {
	c.reads.change(time.Time{}, true)
	return c.halfCloser.Close()
}
