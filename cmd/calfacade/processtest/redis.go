package processtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// StartRedis starts a redis-server and returns its URL; nil and "" where there is
// none.
func StartRedis(t *testing.T) (server *os.Process, url string) {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Log("redis-server is not installed: memory alone")
		return nil, ""
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	Eventually(t, "redis-server accepts connections", func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return cmd.Process, "unix://" + socket
}

// RedisServer is a redis-server on a socket. It stores nothing on a disk: it is empty after it
// was killed.
type RedisServer struct {
	*testing.T
	socket  string
	process *Program
}

// NewRedisServer starts a redis-server, or skips the test on a machine without it.
func NewRedisServer(t *testing.T) *RedisServer {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("redis-server is not installed")
		}
		t.Skip("redis-server is not installed (apt-get install redis-server)")
	}
	s := &RedisServer{T: t, socket: filepath.Join(t.TempDir(), "s")}
	s.Start()
	return s
}

// URL returns the URL of the socket.
func (s *RedisServer) URL() string { return "unix://" + s.socket }

// Start starts the server again after Kill.
func (s *RedisServer) Start() {
	s.Helper()
	s.process = Start(s.T, "redis-server", "--port", "0", "--unixsocket", s.socket, "--save", "")
	s.process.Expect(`ready to accept connections`)
}

// Kill kills the server.
func (s *RedisServer) Kill() {
	s.Helper()
	s.process.Kill()
}
