package redistest

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Relay forwards connections to an address that can change.
type Relay struct {
	Address string
	Delay   atomic.Int64 // nanoseconds until what one end sends reaches the other; a new connection takes twice as long before
	gate    atomic.Pointer[gate]

	mu     sync.Mutex
	target string
	off    bool
	open   []net.Conn
}

// StartRelay starts a relay to target.
func StartRelay(t testing.TB, target string) *Relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	r := &Relay{Address: l.Addr().String(), target: target}
	t.Cleanup(func() { _ = l.Close(); r.Cut(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.pass(c)
		}
	}()
	return r
}

func (r *Relay) pass(in net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out, err := net.Dial("tcp", r.target)
	if r.off || err != nil {
		_ = in.Close()
		return
	}
	r.open = append(r.open, in, out)
	go r.forward(out, in, false)
	go r.forward(in, out, true)
}

// parcel is on its way.
type parcel struct {
	data    []byte
	arrives time.Time
}

// forward passes on what a connection sends, each parcel after the delay, until one of the two is closed.
func (r *Relay) forward(to, from net.Conn, reply bool) {
	parcels := make(chan parcel, 1000)
	go func() {
		defer close(parcels)
		for trips := time.Duration(3); ; trips = 1 {
			if reply {
				trips = 1
			}
			buffer := make([]byte, 16<<10)
			n, err := from.Read(buffer)
			if err != nil {
				return
			}
			parcels <- parcel{data: buffer[:n], arrives: time.Now().Add(trips * time.Duration(r.Delay.Load()))}
		}
	}()
	for p := range parcels {
		if wait := time.Until(p.arrives); wait > 0 {
			<-time.After(wait)
		}
		if g := r.gate.Load(); reply && g != nil {
			g.once.Do(func() { close(g.reached) })
			<-g.open
		}
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	_ = to.Close()
	_ = from.Close()
	for range parcels { // the reader ends
	}
}

// gate holds back what the target sends.
type gate struct {
	once          sync.Once
	reached, open chan struct{}
}

// Hold holds back what the target sends until release is called. reached is closed once something
// is held back.
func (r *Relay) Hold() (reached <-chan struct{}, release func()) {
	g := &gate{reached: make(chan struct{}), open: make(chan struct{})}
	r.gate.Store(g)
	return g.reached, func() {
		r.gate.Store(nil)
		close(g.open)
	}
}

// Cut closes all connections; while off, it also refuses new ones.
func (r *Relay) Cut(off bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = off
	for _, c := range r.open {
		_ = c.Close()
	}
	r.open = nil
}

// To changes the target of new connections.
func (r *Relay) To(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
}

// Distance puts relays with a round trip between a client and all servers that it dials.
type Distance struct {
	t testing.TB

	mu        sync.Mutex
	roundTrip time.Duration
	off       bool
	relays    map[string]*Relay // by address
}

// NewDistance returns a distance.
func NewDistance(t testing.TB, roundTrip time.Duration) *Distance {
	return &Distance{t: t, roundTrip: roundTrip, relays: map[string]*Relay{}}
}

// Dial dials a server through its relay.
func (d *Distance) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, network, d.relay(address).Address)
}

func (d *Distance) relay(address string) *Relay {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.relays[address]
	if r == nil {
		r = StartRelay(d.t, address)
		r.Delay.Store(int64(d.roundTrip / 2))
		r.Cut(d.off)
		d.relays[address] = r
	}
	return r
}

// Set changes the round trip.
func (d *Distance) Set(roundTrip time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.roundTrip = roundTrip
	for _, r := range d.relays {
		r.Delay.Store(int64(roundTrip / 2))
	}
}

// Cut cuts all relays; see [Relay.Cut].
func (d *Distance) Cut(off bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = off
	for _, r := range d.relays {
		r.Cut(off)
	}
}
