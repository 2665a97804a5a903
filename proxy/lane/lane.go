package lane

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"
)

// Lane answers plain hits straight from the connection, below net/http, which sees no
// bytes of them. At 64 connections that takes half the CPU of a bare net/http handler,
// for a body of 40 KB and of 4 KB (calbench -only hits).
//
// A connection is in the lane until the first request that the [Answerer] has no
// response to, or that is not a plain one. The connection is then handed over to
// net/http: for that one request if the lane has framed it and handed over nothing
// else, whatever the client has sent since; else for good, because the lane knows where
// a request ends only as long as it has framed all before it. A head may arrive in
// pieces, if it fits into net/http's buffer.
//
// The lane never answers what net/http would refuse or read otherwise, never answers
// with an error, and waits for nothing but the client. It hands over what it does not
// know.
//
// net/http takes a connection in the lane for an idle one, or, five seconds after its
// start, for one that will not be used. That has consequences:
//   - the lane sets deadlines of its own, and moves the one that net/http counts from
//     the start of the connection when it hands the connection over;
//   - Close, which may be meant for an idle connection, lets a response end;
//   - [http.Server.Shutdown] does not wait for such a response: [Lane.Shutdown] does;
//   - a first head is refused as too long at the usual length, a further one up to
//     4,096 bytes later than without the lane;
//   - a head that does not end, after a request that net/http served, has twice its time.
type Lane struct {
	group group
}

// Options configure a Lane. Both are required.
type Options struct {
	Server   *http.Server // its timeouts are the lane's; neither these nor ConnState may change
	Answerer NewAnswerer
}

// New returns a lane beside a server that does not serve yet.
func New(o Options) *Lane {
	s := o.Server
	next := s.ConnState
	s.ConnState = func(nc net.Conn, state http.ConnState) {
		if next != nil {
			next(nc, state)
		}
		if c, ok := nc.(interface{ inLane() *conn }); ok && state == http.StateIdle {
			c.inLane().takeBack()
		}
	}
	return &Lane{group{
		answerer: o.Answerer, server: s, inside: map[*conn]chan struct{}{},
		idleTimeout: cmp.Or(s.IdleTimeout, s.ReadTimeout), headTimeout: cmp.Or(s.ReadHeaderTimeout, s.ReadTimeout),
	}}
}

// Listen puts the connections of a listener that [Cork] made into the lane.
func (l *Lane) Listen(corked net.Listener) net.Listener { return listener{corked, l} }

// Served returns the number of requests that the lane has served.
func (l *Lane) Served() uint64 { return l.group.count() }

// Shutdown closes the idle connections in the lane, and each connection with a response
// under way after that response, for which it waits until ctx ends. It leaves connections
// without a request so far to the server. Answerers must find no response by then.
func (l *Lane) Shutdown(ctx context.Context) error {
	l.group.down.Store(true)
	conns := l.group.all()
	for c := range conns { // all, before waiting for any
		c.closeIdle()
	}
	for c, gone := range conns {
		if c.state.Load() == fresh {
			continue
		}
		select {
		case <-gone:
		case <-ctx.Done():
			for c := range l.group.all() {
				_ = c.corkedConn.Close()
			}
			return ctx.Err()
		}
	}
	return nil
}

type listener struct {
	net.Listener
	lane *Lane
}

func (l listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	made, ok := nc.(interface{ corked() *corkedConn })
	if !ok {
		return nc, nil
	}
	c := &conn{corkedConn: made.corked(), group: &l.lane.group, started: time.Now()}
	c.handedOver = !l.lane.group.add(c)
	if c.secured != nil {
		return secureConn{c, c.secured}, nil
	}
	return c, nil
}
