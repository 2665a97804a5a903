package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// redisServer is a redis-server on a socket. It stores nothing on a disk: it is empty after it
// was killed.
type redisServer struct {
	*testing.T
	socket  string
	process *program
}

func newRedisServer(t *testing.T) *redisServer {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("redis-server is not installed")
		}
		t.Skip("redis-server is not installed (apt-get install redis-server)")
	}
	s := &redisServer{T: t, socket: filepath.Join(t.TempDir(), "s")}
	s.start()
	return s
}

func (s *redisServer) url() string { return "unix://" + s.socket }

func (s *redisServer) start() {
	s.Helper()
	s.process = start(s.T, "redis-server", "--port", "0", "--unixsocket", s.socket, "--save", "")
	s.process.expect(`ready to accept connections`)
}

func (s *redisServer) kill() {
	s.Helper()
	s.process.kill()
}
