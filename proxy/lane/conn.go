package lane

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// conn is used only by the goroutine in which net/http serves it, until it is handed
// over; except for Close.
type conn struct {
	*corkedConn
	group    *group
	request  Request  // the last one; it escapes to the Answerer, so one serves all
	answerer Answerer // nil before the first request in the lane
	state    atomic.Int32
	answered bool          // in the lane, since it was accepted or taken back
	served   atomic.Uint64 // requests in the lane that group.served does not include

	handedOver bool   // net/http has the connection
	returns    bool   // after one request, of which net/http has all and of what follows nothing
	readAhead  []byte // of the next request, while net/http serves that one: at most a byte

	started    time.Time     // zero once the connection was taken back: net/http counts from then on
	headSince  time.Time     // zero: the head at hand arrived in one piece
	readUntil  time.Time     // deadlines as the lane has set them; zero: it has not
	writeUntil time.Time     //
	shift      time.Duration // of the next deadline that net/http counts from the start

	date       []byte // of the last response
	dateSecond int64  // Unix time of date
}

// secureConn has a type of its own, since net/http passes the TLS state of each connection
// with the method ConnectionState to its requests.
type secureConn struct {
	*conn
	secured
}

func (c *conn) inLane() *conn { return c }

// The states.
const (
	outside   int32 = iota // the lane
	fresh                  // no request in the lane yet
	idle                   // waiting for another request
	answering              // idle after the response
	closing                // closed after the response
	closed
)

// transition changes the state, if it is from.
func (c *conn) transition(from, to int32) bool { return c.state.CompareAndSwap(from, to) }

// detach takes the connection out of the lane.
func (c *conn) detach() {
	for s := c.state.Load(); s != outside && s != closed; s = c.state.Load() {
		if c.transition(s, outside) {
			c.group.remove(c)
		}
	}
}

// takeBack puts a connection that was handed over for one request into the lane again.
// net/http has answered, holds nothing of the next request, and does not wait for it yet.
func (c *conn) takeBack() {
	returns := c.returns
	c.returns = false
	if !returns || !c.group.add(c) {
		return
	}
	c.handedOver = false
	c.started, c.readUntil, c.writeUntil = time.Time{}, time.Time{}, time.Time{}
}

// Close closes a connection that is idle, or net/http's, at once, and one that the lane
// answers on after the response.
func (c *conn) Close() error {
	for {
		switch s := c.state.Load(); {
		case s == closing, s == answering && c.transition(answering, closing):
			return nil
		case s == closed, s == outside && c.transition(outside, closed):
			return c.corkedConn.Close()
		case s != answering && s != outside && c.transition(s, closed):
			c.group.remove(c)
			return c.corkedConn.Close()
		}
	}
}

// closeIdle closes a connection that waits for another request in the lane.
func (c *conn) closeIdle() {
	if c.transition(idle, closed) {
		c.group.remove(c)
		_ = c.corkedConn.Close()
	}
}

// group has the connections of a lane, and what they share.
type group struct {
	answerer    NewAnswerer
	server      *http.Server  // for its WriteTimeout
	idleTimeout time.Duration // the server's timeouts, as net/http derives them; 0: none
	headTimeout time.Duration

	down   atomic.Bool // no connection enters the lane any more
	mu     sync.Mutex
	inside map[*conn]chan struct{} // in the lane; the channel is closed when the connection leaves
	served uint64                  // requests on connections that have left
}

func (g *group) all() map[*conn]chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.inside)
}

// add puts a connection into the lane, unless the lane is down.
func (g *group) add(c *conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.down.Load() || !c.transition(outside, fresh) {
		return false
	}
	g.inside[c] = make(chan struct{})
	return true
}

func (g *group) remove(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.served += c.served.Swap(0)
	close(g.inside[c])
	delete(g.inside, c)
}

// count returns the number of requests that the lane has served. Connections count for
// themselves, so that no hit writes to memory that other connections write to.
func (g *group) count() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.served
	for c := range g.inside {
		n += c.served.Load()
	}
	return n
}
