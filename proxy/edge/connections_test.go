package edge

import (
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
)

// dialed is a listener with connections from addresses that the test sets.
type dialed struct {
	net.Listener
	remotes []string
	closed  int // connections
}

type dialedConn struct {
	net.Conn
	remote string
	closed *int
}

type dialedAddr string

var errAccept = errors.New("accept fails")

func (a dialedAddr) Network() string { return "tcp" }
func (a dialedAddr) String() string  { return string(a) }

func (c *dialedConn) RemoteAddr() net.Addr { return dialedAddr(c.remote) }

func (c *dialedConn) Close() error {
	*c.closed++
	return nil
}

func (d *dialed) Accept() (net.Conn, error) {
	if len(d.remotes) == 0 {
		return nil, errAccept
	}
	c := &dialedConn{remote: d.remotes[0], closed: &d.closed}
	d.remotes = d.remotes[1:]
	return c, nil
}

// TestConnectionsOfOneAddress: each address has its own limit, and a closed connection frees
// its slot. Exempt addresses have no limit.
func TestConnectionsOfOneAddress(t *testing.T) {
	d := &dialed{}
	var refused atomic.Uint64
	l := LimitConnections(d, ConnectionLimits{All: 9, Client: 2, Refused: &refused,
		Exempt: func(a netip.Addr) bool { return a == netip.MustParseAddr("10.0.0.1") }})
	open := map[string][]net.Conn{}
	for _, step := range []struct {
		remote  string
		accepts bool
	}{
		{"192.0.2.1:1", true}, {"192.0.2.1:2", true}, {"192.0.2.1:3", false}, {"[::ffff:192.0.2.1]:4", false}, {"192.0.2.2:1", true},
		{"[2001:db8::1]:1", true}, {"[2001:db8::2]:1", true}, {"[2001:db8::3]:1", false}, {"[2001:db8:0:1::3]:1", true},
		{"10.0.0.1:1", true}, {"10.0.0.1:2", true}, {"10.0.0.1:3", true},
	} {
		d.remotes = []string{step.remote}
		c, err := l.Accept()
		if (err == nil) != step.accepts || err != nil && !errors.Is(err, errAccept) {
			t.Errorf("%s: %v", step.remote, err)
		}
		if c != nil {
			open[step.remote] = append(open[step.remote], c)
		}
	}
	if n := refused.Load(); n != 3 || d.closed != 3 {
		t.Errorf("%v refused, %d closed, want 3", n, d.closed)
	}
	for _, again := range []string{"192.0.2.1:1", "10.0.0.1:1"} {
		_ = open[again][0].Close()
		_ = open[again][0].Close()
		d.remotes = []string{again}
		c, err := l.Accept()
		if err != nil {
			t.Fatalf("%s is not accepted again: %v", again, err)
		}
		open[again] = []net.Conn{c}
	}
	for _, conns := range open {
		for _, c := range conns {
			_ = c.Close()
		}
	}
	limited := l.(*limitedListener)
	free := limited.slots.TryAcquire(int64(limited.limits.All))
	if len(limited.open.held) > 0 || !free {
		t.Errorf("%d clients are still tracked, all slots are free: %t", len(limited.open.held), free)
	}
}
