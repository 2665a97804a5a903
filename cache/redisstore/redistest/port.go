package redistest

import (
	"strconv"
	"syscall"
	"testing"
)

// FreePort holds a port of 127.0.0.1, and the one 10,000 above it for the bus of a
// cluster, until the test ends. A server that sets SO_REUSEADDR, as Redis does, can listen
// on them, again after it was killed too. The kernel gives them to no other socket.
func FreePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port, ok := hold(t, 0)
		if !ok || port+10_000 > 65_535 {
			continue
		}
		if _, ok := hold(t, port+10_000); ok {
			return strconv.Itoa(port)
		}
	}
	t.Fatal("no free port")
	return ""
}

// hold binds a socket to port, or to a free one if it is 0, and does not listen on it.
func hold(t testing.TB, port int) (bound int, ok bool) {
	t.Helper()
	socket, err := newSocket()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, false
	}
	address, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return address.(*syscall.SockaddrInet4).Port, true
}

// newSocket returns a socket that no process inherits. Not every system has SOCK_CLOEXEC.
func newSocket() (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	return socket, err
}
