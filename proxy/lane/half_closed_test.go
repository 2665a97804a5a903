package lane

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// TestHalfClosed: the background read during a handler ends as if the client had not closed
// its half of the connection.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(net.Conn) error
		want error
	}{
		"aborted":      {func(c net.Conn) error { return c.SetReadDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		"both aborted": {func(c net.Conn) error { return c.SetDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		"timeout":      {func(c net.Conn) error { return c.SetReadDeadline(time.Now().Add(time.Millisecond)) }, os.ErrDeadlineExceeded},
		"closed":       {net.Conn.Close, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := halfClosed(t)
			if _, err := c.Read(make([]byte, 2)); err != io.EOF {
				t.Fatalf("a read of more than a byte: %v", err)
			}
			ended := make(chan error)
			go func() {
				_, err := c.Read(make([]byte, 1))
				ended <- err
			}()
			if err := test.end(c); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// halfClosed is a connection of a server; the client has closed its half.
func halfClosed(t *testing.T) net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	c, err := Cork(l, nil).Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := client.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	return c
}
