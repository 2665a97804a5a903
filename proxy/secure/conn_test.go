package secure

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/proxytest"
)

// counted is a server's connection that counts the writes to it.
type counted struct {
	net.Conn
	writes int
	fail   error
}

func (c *counted) Write(p []byte) (int, error) {
	c.writes++
	if c.fail != nil {
		return 0, c.fail
	}
	return c.Conn.Write(p)
}

// pair returns both ends of a connection over TCP, connected.
func pair(t testing.TB) (client *tls.Conn, server *Conn, counter *counted) {
	t.Helper()
	dir := t.TempDir()
	files := [2]string{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	if err := proxytest.WriteCertificate(files[0], files[1], 1, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	certificate, err := Open(files[0], files[1], zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dialed.Close(); _ = accepted.Close() })
	counter = &counted{Conn: accepted}
	held := &gatherer{Conn: counter}
	server = &Conn{Conn: tls.Server(held, certificate.current()), gatherer: held}
	client = tls.Client(dialed, &tls.Config{InsecureSkipVerify: true})
	shaken := make(chan error, 1)
	go func() { shaken <- client.Handshake() }()
	if err := errors.Join(server.Handshake(), <-shaken); err != nil {
		t.Fatal(err)
	}
	return client, server, counter
}

// maxRecord is the length of the plaintext of a record (RFC 8446, 5.1).
const maxRecord = 16 << 10

// TestOneWrite: all records of a write are sent at once, and arrive as they were.
func TestOneWrite(t *testing.T) {
	client, server, counter := pair(t)
	text := bytes.Repeat([]byte("0123456789abcde\n"), 20_000)
	for _, sizes := range [][2]int{
		{1, 0}, {0, 1}, {400, 4_000}, {400, maxRecord - 400}, {400, maxRecord - 399}, {400, 41_000}, {maxRecord, 1},
		{maxRecord + 1, 100_000}, {4_096, 37_000}, {100_000, 100_000}, {0, 0},
	} {
		first := text[:sizes[0]]
		second := text[7 : 7+sizes[1]]
		counter.writes = 0
		result := make(chan error, 1)
		go func() {
			n, err := server.WriteBoth(first, second)
			if n != sizes[0]+sizes[1] {
				t.Errorf("%v: %d written", sizes, n)
			}
			result <- err
		}()
		got := make([]byte, sizes[0]+sizes[1])
		if _, err := io.ReadFull(client, got); err != nil {
			t.Fatal(err)
		}
		if err := <-result; err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, append(bytes.Clone(first), second...)) {
			t.Errorf("%v: other bytes arrived", sizes)
		}
		if want := min(1, len(got)); counter.writes != want {
			t.Errorf("%v: %d writes, want %d", sizes, counter.writes, want)
		}
	}
	counter.writes = 0
	go func() { _, _ = server.Write(make([]byte, 1<<20)) }()
	if _, err := io.ReadFull(client, make([]byte, 1<<20)); err != nil || counter.writes != (1<<20)/maxHeld {
		t.Errorf("a megabyte: %d writes, %v", counter.writes, err)
	}
}

// TestWriteFails: after an error nothing is sent, as the client could not decrypt it.
func TestWriteFails(t *testing.T) {
	_, server, counter := pair(t)
	counter.fail = os.ErrDeadlineExceeded
	if n, err := server.WriteBoth(make([]byte, 100), make([]byte, 50_000)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %d, %v", n, err)
	}
	counter.fail = nil
	counter.writes = 0
	if _, err := server.Write(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || counter.writes > 0 {
		t.Errorf("got %v, %d writes", err, counter.writes)
	}
}

// TestCloseWhileWriting: a connection whose client does not read is closed at once, and not
// after the five seconds that crypto/tls waits to send close_notify.
func TestCloseWhileWriting(t *testing.T) {
	_, server, _ := pair(t)
	ended := make(chan error, 1)
	go func() {
		for {
			if _, err := server.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	}()
	for !server.writing.Load() {
	}
	began := time.Now()
	_ = server.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
	t.Logf("after %s", time.Since(began))
}

// TestCloseNotify: a client learns that it has all of a response.
func TestCloseNotify(t *testing.T) {
	for name, end := range map[string]func(*Conn) error{"both": (*Conn).Close, "half": func(c *Conn) error { return c.CloseWrite() }} {
		client, server, _ := pair(t)
		if _, err := server.Write([]byte("all")); err != nil {
			t.Fatal(err)
		}
		if err := end(server); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(client); string(got) != "all" || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}
