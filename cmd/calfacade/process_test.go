package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// binary is the command as it is released, built by the first test
// that needs it. TestMain removes it.
var binary struct {
	once      sync.Once
	dir, file string
	err       error
}

// build returns the file of the command. With -short the test is skipped: other processes do the work, and there is nothing
// for -race.
func build(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	binary.once.Do(func() {
		if binary.dir, binary.err = os.MkdirTemp("", "calfacade"); binary.err != nil {
			return
		}
		binary.file = filepath.Join(binary.dir, "calfacade")
		compiler := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", binary.file, "./cmd/calfacade")
		compiler.Dir = processtest.Repository
		if out, err := compiler.CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.file
}

// Exit statuses of the command.
const (
	statusOK        = 0
	statusFail      = 1
	statusUsage     = 2
	statusNoVerdict = 3
)

// runCommand runs the command to its end, or terminates it when ctx ends, and returns its exit status.
func runCommand(ctx context.Context, t testing.TB, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t.Helper()
	cmd := exec.CommandContext(ctx, build(t), args...)
	cmd.Env = append([]string{}, env...) // nil would be the variables of the test
	cmd.Stdin = stdin
	cmd.Stdout = stdout
	cmd.Stderr = stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = processtest.Patience
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		t.Error(err)
	}
	return cmd.ProcessState.ExitCode()
}

// tests runs the tests, and removes the binary.
type tests struct{ *testing.M }

func (m tests) Run() int {
	defer func() { _ = os.RemoveAll(binary.dir) }() // "" removes nothing
	return testwait.Run(m.M)
}

// heldSockets are free ports, listened on from now to the end of the test. The
// processes that are to serve on them get them, as systemd would pass them.
type heldSockets struct {
	public, admin string // addresses
	files         []*os.File
}

func newSockets(t *testing.T) (s heldSockets) {
	t.Helper()
	hold := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		file, err := l.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		s.files = append(s.files, file)
		return l.Addr().String()
	}
	s.public = hold()
	s.admin = hold()
	return s
}

// pass passes the sockets to a command that was not started yet.
func (s heldSockets) pass(cmd *exec.Cmd) {
	// systemd passes a process its own id.
	cmd.Args = append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.ExtraFiles = s.files
	cmd.Env = append(cmd.Env, "LISTEN_FDS=2", "LISTEN_FDNAMES=public:admin")
}

// program is a process of the real binary. It is killed at the end of the test if
// it has not ended by itself.
type program struct {
	*testing.T
	cmd   *exec.Cmd
	out   output
	ended chan struct{} // closed when the process has ended and cmd.ProcessState is set
}

func start(t *testing.T, binary string, args ...string) *program {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = []string{"HOME=" + t.TempDir()} // no configuration and no HTTP proxy of whoever runs the test
	return startCommand(t, cmd)
}

func startCommand(t *testing.T, cmd *exec.Cmd) *program {
	t.Helper()
	p := &program{T: t, cmd: cmd, ended: make(chan struct{})}
	p.out.changed = make(chan struct{})
	p.cmd.Stdout = &p.out
	p.cmd.Stderr = &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		var exit *exec.ExitError
		if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it has usually ended already
		<-p.ended
		if t.Failed() {
			t.Logf("%v:\n%s", cmd.Args, p.out.text())
		}
	})
	return p
}

// kill kills the process with SIGKILL.
func (p *program) kill() {
	p.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.Fatal(err)
	}
	<-p.ended
}

// expect waits until the process has written a text that matches pattern and returns the
// match and its groups.
func (p *program) expect(pattern string) []string {
	p.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.After(processtest.Patience)
	for {
		text, changed := p.out.state()
		if m := re.FindStringSubmatch(text); m != nil {
			return m
		}
		select {
		case <-changed:
		case <-p.ended:
			if m := re.FindStringSubmatch(p.out.text()); m != nil {
				return m
			}
			p.Fatalf("the process ended (%v) without writing %s", p.cmd.ProcessState, pattern)
		case <-deadline:
			p.Fatalf("the process did not write %s", pattern)
		}
	}
}

func (p *program) terminate() {
	p.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.Fatal(err)
	}
}

// stop terminates the process and returns its exit status. It first closes the idle
// connections of the tests' own client, for whose next requests a drain would wait.
func (p *program) stop() int {
	p.Helper()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	p.terminate()
	return p.exitStatus()
}

// exitStatus waits for the process to end.
func (p *program) exitStatus() int {
	p.Helper()
	select {
	case <-p.ended:
	case <-time.After(processtest.Patience):
		p.Fatal("the process does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

// output is all that a process has written to stdout and stderr.
type output struct {
	mu      sync.Mutex
	buffer  bytes.Buffer
	changed chan struct{} // closed, and replaced, when something is written
}

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.buffer.Write(b)
}

func (o *output) state() (text string, changed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String(), o.changed
}

func (o *output) text() string {
	text, _ := o.state()
	return text
}
