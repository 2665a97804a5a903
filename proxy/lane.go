package proxy

import (
	"cmp"
	"context"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Lane answers fresh hits in memory straight from the connection, below net/http,
// which sees no bytes of them. At 64 connections that takes half the CPU of a bare
// net/http handler, for a body of 40 KB and of 4 KB (calbench -only lane).
//
// A connection is in the lane until the first request that is anything but a plain
// hit. A head may come in pieces, if it fits into net/http's buffer. The connection
// comes back after that request if the lane has framed it and handed over nothing
// else, whatever the client has sent since; else it is net/http's for good:
// the lane knows where a request ends only as long as it has framed all before it.
// It must never answer what net/http would refuse or read otherwise, nor anything
// but what [Facade.ServeHTTP] would answer to the byte, nor an error, nor wait for
// anything but the client. What it does not know it does not touch.
//
// net/http takes a connection in the lane for idle, or, five seconds after its
// beginning, for one that will not be used. That has consequences:
//   - deadlines are the lane's own, and the one that net/http counts from the
//     beginning of the connection is moved when it gets it;
//   - Close, which may be meant for an idle connection, lets an answer end;
//   - [http.Server.Shutdown] does not wait for such an answer: [Lane.Shutdown] does;
//   - a head is refused as too long from where it always is for the first request,
//     and for a further one up to 4,096 bytes later without the lane;
//   - one that does not end, after a request of net/http's, has twice its time.
type Lane struct {
	options LaneOptions
	idle    time.Duration // the server's timeouts, as net/http reads them; 0: none
	header  time.Duration

	down  atomic.Bool
	mu    sync.Mutex
	conns map[*laneConn]chan struct{} // in the lane; closed when it is no more
}

// LaneOptions are what a Lane is made of.
type LaneOptions struct {
	Server *http.Server // its timeouts are the lane's; neither these nor ConnState may change

	// Facade gives who answers now, and what is called when it has. nil has net/http
	// answer.
	Facade func() (f *Facade, done func())
}

// NewLane makes a lane beside a server, which does not serve yet.
func NewLane(o LaneOptions) *Lane {
	s := o.Server
	tell := s.ConnState
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if tell != nil {
			tell(c, state)
		}
		if c, ok := c.(*laneConn); ok && state == http.StateIdle {
			c.comeBack()
		}
	}
	return &Lane{
		options: o, conns: map[*laneConn]chan struct{}{},
		idle: cmp.Or(s.IdleTimeout, s.ReadTimeout), header: cmp.Or(s.ReadHeaderTimeout, s.ReadTimeout),
	}
}

// Listen gives the connections of l, which [Cork] made, a lane.
func (l *Lane) Listen(corked net.Listener) net.Listener { return laneListener{corked, l} }

// Shutdown closes the connections that wait in the lane for another request, and
// each that is being answered after that, for which it waits until ctx ends. Those
// that have not asked yet it leaves to the server. LaneOptions.Facade must give nil
// by then.
func (l *Lane) Shutdown(ctx context.Context) error {
	l.down.Store(true)
	conns := l.all()
	for c := range conns { // all, before any is waited for
		c.closeWaiting()
	}
	for c, gone := range conns {
		if c.state.Load() == unheard {
			continue
		}
		select {
		case <-gone:
		case <-ctx.Done():
			for c := range l.all() {
				_ = c.corkedConn.Close()
			}
			return ctx.Err()
		}
	}
	return nil
}

func (l *Lane) all() map[*laneConn]chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.conns)
}

// take puts a connection in the lane, unless that is down.
func (l *Lane) take(c *laneConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down.Load() || !c.turn(out, unheard) {
		return false
	}
	l.conns[c] = make(chan struct{})
	return true
}

func (l *Lane) forget(c *laneConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.conns[c])
	delete(l.conns, c)
}

type laneListener struct {
	net.Listener
	lane *Lane
}

func (l laneListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	corked, ok := c.(*corkedConn)
	if !ok {
		return c, nil
	}
	in := &laneConn{corkedConn: corked, lane: l.lane, began: time.Now()}
	in.left = !l.lane.take(in)
	return in, nil
}
