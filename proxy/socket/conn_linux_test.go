package socket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/nettest"
)

// TestConn is the test of package net's own connections.
func TestConn(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
				ours, theirs := pair(t, network)
				return ours, theirs, func() { _, _ = ours.Close(), theirs.Close() }, nil
			})
		})
	}
}

// pair returns a connection of Listen, and the other end of it.
func pair(t *testing.T, network string) (*Conn, net.Conn) {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = filepath.Join(t.TempDir(), "s")
	}
	below, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	l := Listen(below)
	defer l.Close()
	theirs, err := net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	return ours.(*Conn), theirs
}

// TestWriteBoth writes pieces of which the send buffer takes a part at a time.
func TestWriteBoth(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789"), 1<<20)
	for _, pieces := range [][2][]byte{{nil, nil}, {[]byte("a"), nil}, {nil, []byte("b")}, {[]byte("head"), []byte("body")}, {long, []byte("end")}, {long[:999_999], long}} {
		ours, theirs := pair(t, "tcp")
		whole := append(bytes.Clone(pieces[0]), pieces[1]...)
		written := make(chan error, 1)
		go func() {
			n, err := ours.WriteBoth(pieces[0], pieces[1])
			if err == nil && n != len(whole) {
				err = io.ErrShortWrite
			}
			written <- errors.Join(err, ours.CloseWrite())
		}()
		got, err := io.ReadAll(io.LimitReader(theirs, int64(len(whole))+1))
		_ = theirs.Close()
		if err := errors.Join(err, <-written); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(got, whole) {
			t.Errorf("%d and %d bytes: %d arrived, or others", len(pieces[0]), len(pieces[1]), len(got))
		}
	}
}

// TestErrors: they are those of package net, whose own connection meets the same.
func TestErrors(t *testing.T) {
	long := make([]byte, 64<<20)
	b := make([]byte, 1)
	for _, test := range []struct {
		name string
		want error
		fail func(c, other net.Conn) error
	}{
		{"end of input", io.EOF, func(c, other net.Conn) error {
			_ = other.Close()
			_, err := c.Read(b)
			return err
		}},
		{"read of a reset connection", syscall.ECONNRESET, func(c, other net.Conn) error {
			_ = other.(*net.TCPConn).SetLinger(0)
			_ = other.Close()
			_, err := c.Read(b)
			return err
		}},
		{"write after the end", syscall.EPIPE, func(c, other net.Conn) error {
			_ = c.(interface{ CloseWrite() error }).CloseWrite()
			_, err := c.Write(b)
			return err
		}},
		{"read of a closed connection", net.ErrClosed, func(c, _ net.Conn) error {
			_ = c.Close()
			_, err := c.Read(b)
			return err
		}},
		{"read deadline", os.ErrDeadlineExceeded, func(c, _ net.Conn) error {
			_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
			_, err := c.Read(b)
			return err
		}},
		{"write deadline", os.ErrDeadlineExceeded, func(c, other net.Conn) error {
			go func() {
				_, _ = other.Read(make([]byte, 1)) // a part is written
				_ = c.SetWriteDeadline(time.Now())
			}()
			n, err := c.Write(long)
			if n == 0 || n == len(long) {
				t.Errorf("%d bytes written before the deadline", n)
			}
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ours, other := pair(t, "tcp")
			err := test.fail(ours, other)
			plain, otherOfPlain := pair(t, "tcp")
			same := test.fail(plain.stream, otherOfPlain)
			if !errors.Is(err, test.want) || !errors.Is(same, test.want) {
				t.Fatalf("got %v, package net %v, want %v", err, same, test.want)
			}
			var got, want *net.OpError
			if errors.As(err, &got) != errors.As(same, &want) {
				t.Fatalf("%#v, package net %#v", err, same)
			}
			if got != nil && (got.Op != want.Op || got.Net != want.Net || got.Err.Error() != want.Err.Error() || got.Addr == nil || got.Source == nil) {
				t.Errorf("%#v, package net %#v", got, want)
			}
		})
	}
}

// TestReadLetsOthersRun: no other goroutine waits until a connection has nothing more to read.
func TestReadLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ours, theirs := pair(t, "tcp")
	const reads = 100
	if _, err := theirs.Write(make([]byte, reads)); err != nil {
		t.Fatal(err)
	}
	var ran atomic.Int32
	end := make(chan struct{})
	go func() {
		defer close(end)
		for ran.Add(1) < reads {
			runtime.Gosched()
		}
	}()
	for range reads {
		if _, err := ours.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if n := ran.Load(); n < reads/2 {
		t.Errorf("another goroutine ran %d times during %d reads", n, reads)
	}
	<-end
}

// TestHoldsNothing: what was read into and written is not kept alive by an idle connection.
func TestHoldsNothing(t *testing.T) {
	ours, theirs := pair(t, "tcp")
	if _, err := ours.WriteBoth([]byte("a"), []byte("b")); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Write([]byte("c")); err != nil {
		t.Fatal(err)
	}
	if _, err := ours.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if ours.reading.p != nil || ours.writing.few != ([pieces]syscall.Iovec{}) || ours.writing.left != nil {
		t.Errorf("%d bytes, %v, %d pieces", len(ours.reading.p), ours.writing.few, len(ours.writing.left))
	}
}

// TestCallsAreShort: no system call reads or writes more than maxCall bytes.
func TestCallsAreShort(t *testing.T) {
	long := make([]byte, 3*maxCall+7)
	var w writing
	w.add(long[:1])
	w.add(long)
	total := 0
	for len(w.left) > 0 {
		call := 0
		for _, piece := range w.next() {
			call += int(piece.Len)
		}
		if call == 0 || call > maxCall {
			t.Fatalf("a call writes %d bytes", call)
		}
		total += call
		w.sent(call)
	}
	if total != 1+len(long) {
		t.Errorf("%d bytes written, want %d", total, 1+len(long))
	}

	var r reading
	r.try = func(uintptr) bool {
		if len(r.p) != maxCall {
			t.Errorf("a call reads %d bytes", len(r.p))
		}
		return true
	}
	if _, err := r.call(ready{}, long); err != nil {
		t.Error(err)
	}
}

// ready is a connection that is ready to be read.
type ready struct{ syscall.RawConn }

func (ready) Read(read func(fd uintptr) (done bool)) error {
	read(0)
	return nil
}

// TestAllocations: a call allocates nothing.
func TestAllocations(t *testing.T) {
	ours, theirs := pair(t, "tcp")
	head, body, buffer := make([]byte, 100), make([]byte, 900), make([]byte, 1000)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := ours.WriteBoth(head, body); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadFull(theirs, buffer); err != nil {
			t.Error(err)
		}
		if _, err := theirs.Write(head); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadFull(ours, buffer[:100]); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSetLinger: a connection that is refused is reset, and one without such a setting closed.
func TestSetLinger(t *testing.T) {
	for network, want := range map[string]error{"tcp": syscall.ECONNRESET, "unix": io.EOF} {
		ours, theirs := pair(t, network)
		if err := errors.Join(ours.SetLinger(0), ours.Close()); err != nil {
			t.Error(err)
		}
		if _, err := theirs.Read(make([]byte, 1)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", network, err, want)
		}
	}
}

// TestOthers: a connection of another kind remains what it is.
func TestOthers(t *testing.T) {
	c, _ := net.Pipe()
	defer c.Close()
	if got, err := open(c); got != c || err != nil {
		t.Errorf("%T, %v", got, err)
	}
}
