package cache

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// aLongTime is a deadline that no passing test gets near.
const aLongTime = 30 * time.Second

// server is a redis-server that the test started.
type server struct {
	t       testing.TB
	dir     string
	address string   // host:port, or a socket
	program string   // "" is redis-server
	conf    []string // instead of the usual arguments
	args    []string
	admin   *redis.Client // as a user who may do everything
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

// startServer starts a server on a free port. With arguments that set a port of
// their own, admin is how to reach it.
func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	needRedis(t, "redis-server")
	port := freePort(t)
	address := net.JoinHostPort("127.0.0.1", port)
	args = append([]string{"--port", port, "--bind", "127.0.0.1"}, args...)
	return startServerAt(t, address, &redis.Options{Addr: address}, args...)
}

func startServerAt(t testing.TB, address string, admin *redis.Options, args ...string) *server {
	t.Helper()
	silence()
	admin.MaxRetries, admin.DialTimeout, admin.PoolSize = -1, time.Second, 100
	s := &server{t: t, dir: t.TempDir(), address: address, args: args, admin: redis.NewClient(admin)}
	return s.begin()
}

// startSentinelAt starts a Sentinel, which takes no arguments but its file.
func startSentinelAt(t testing.TB, address, file string) *server {
	t.Helper()
	o := &redis.Options{Addr: address, MaxRetries: -1, DialTimeout: time.Second}
	s := &server{t: t, dir: t.TempDir(), address: address, program: "redis-sentinel", conf: []string{file}, admin: redis.NewClient(o)}
	return s.begin()
}

func (s *server) begin() *server {
	s.t.Helper()
	s.start()
	s.t.Cleanup(func() {
		_ = s.admin.Close()
		s.kill()
	})
	return s
}

func (s *server) url() string { return "redis://" + s.address }

// start starts it, or starts it again with what it saved.
func (s *server) start() {
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
	eventually(s.t, "server is up", func() bool { return s.admin.Ping(context.Background()).Err() == nil })
}

func (s *server) signal(sig os.Signal) {
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Errorf("signal %v: %v", sig, err)
	}
}

func (s *server) freeze() { s.signal(syscall.SIGSTOP) }
func (s *server) resume() { s.signal(syscall.SIGCONT) }

// kill ends it without a farewell.
func (s *server) kill() {
	if s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	if s.t.Failed() {
		s.t.Logf("the end of what %s said:\n%s", s.address, s.output.Bytes()[max(0, s.output.Len()-1000):])
	}
}

// do runs a command and fails the test if it fails.
func (s *server) do(args ...any) any {
	s.t.Helper()
	v, err := s.admin.Do(context.Background(), args...).Result()
	if err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
	return v
}

// freePort gives a port whose cluster port (10,000 higher) exists as well.
func freePort(t testing.TB) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if port < 55_000 {
			return strconv.Itoa(port)
		}
	}
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), aLongTime)
	defer cancel()
	for !ok() {
		if ctx.Err() != nil {
			t.Fatalf("not in %v: %s", aLongTime, what)
		}
		pause(ctx, 2*time.Millisecond)
	}
}

// socketPath is short, since the path of a socket may have 107 bytes.
func socketPath(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

var prefixes atomic.Int64

// open opens a Redis whose keys no other test has.
func open(t testing.TB, o RedisOptions) *Redis {
	t.Helper()
	r, err := OpenRedis(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func freshPrefix() string {
	return fmt.Sprintf("calfacade-test-%d", prefixes.Add(1))
}
