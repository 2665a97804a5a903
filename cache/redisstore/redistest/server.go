package redistest

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache/testwait"
)

// Server is a redis-server that the test started.
type Server struct {
	t       testing.TB
	dir     string
	Address string   // host:port, or a socket
	program string   // "" is redis-server
	conf    []string // instead of the usual arguments
	args    []string
	Admin   *redis.Client // as a user who may do everything
	cmd     *exec.Cmd
	output  bytes.Buffer
}

// needRedis skips the test, or fails it in CI, without the programs.
func needRedis(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed", p)
		}
		t.Skipf("%s is not installed (apt-get install redis-server redis-sentinel)", p)
	}
}

// StartServer starts a server on a free port.
func StartServer(t testing.TB, args ...string) *Server {
	t.Helper()
	needRedis(t, "redis-server")
	port := FreePort(t)
	address := net.JoinHostPort("127.0.0.1", port)
	args = append([]string{"--port", port, "--bind", "127.0.0.1"}, args...)
	return startServerAt(t, address, &redis.Options{Addr: address}, args...)
}

func startServerAt(t testing.TB, address string, admin *redis.Options, args ...string) *Server {
	t.Helper()
	redis.SetLogger(silent{})
	admin.PoolSize = 100
	s := &Server{t: t, dir: t.TempDir(), Address: address, args: args, Admin: newAdmin(admin)}
	return s.begin()
}

// startSentinelAt starts a Sentinel, which takes no arguments but its file.
func startSentinelAt(t testing.TB, address, file string) *Server {
	t.Helper()
	s := &Server{
		t: t, dir: t.TempDir(), Address: address, program: "redis-sentinel", conf: []string{file},
		Admin: newAdmin(&redis.Options{Addr: address}),
	}
	return s.begin()
}

// newAdmin returns a client that does not repeat a command.
func newAdmin(o *redis.Options) *redis.Client {
	o.MaxRetries = -1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = testwait.Limit, testwait.Limit, testwait.Limit
	return redis.NewClient(o)
}

func (s *Server) begin() *Server {
	s.t.Helper()
	s.Start()
	s.t.Cleanup(func() {
		_ = s.Admin.Close()
		s.Kill()
	})
	return s
}

// URL returns the URL of the server, without a password.
func (s *Server) URL() string { return "redis://" + s.Address }

// Start starts the server, or starts it again with what it saved.
func (s *Server) Start() {
	s.t.Helper()
	args := append([]string{"--dir", s.dir, "--save", "", "--appendonly", "no",
		"--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes"}, s.args...)
	program := "redis-server"
	if s.program != "" {
		program, args = s.program, s.conf
	}
	s.cmd = exec.Command(program, args...)
	s.cmd.Dir = s.dir
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	testwait.Until(s.t, "server is up", func() bool { return s.Admin.Ping(context.Background()).Err() == nil })
}

func (s *Server) signal(sig syscall.Signal) { testwait.Signal(s.t, s.cmd.Process, sig) }

// Freeze suspends the process: connections stay open, and get no answer.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Resume ends Freeze.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

// Kill kills the server.
func (s *Server) Kill() {
	if s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	if s.t.Failed() {
		s.t.Logf("the end of what %s said:\n%s", s.Address, s.output.Bytes()[max(0, s.output.Len()-1000):])
	}
}

// Do runs a command and fails the test if it fails.
func (s *Server) Do(args ...any) any {
	s.t.Helper()
	v, err := s.Admin.Do(context.Background(), args...).Result()
	if err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
	return v
}

// silent drops what go-redis would print to stderr.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
