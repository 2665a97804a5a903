package processtest

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
)

// binary is the command as it is released, built by the first test
// that needs it. [Main] removes it.
var binary struct {
	once      sync.Once
	dir, file string
	err       error
}

// Build returns the file of the command. With -short the test is skipped: other processes do the work, and there is nothing
// for -race.
func Build(t testing.TB) string {
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
		compiler.Dir = Repository
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
	StatusOK        = 0
	StatusFail      = 1
	StatusUsage     = 2
	StatusNoVerdict = 3
)

// RunCommand runs the command to its end, or terminates it when ctx ends, and returns its exit status.
func RunCommand(ctx context.Context, t testing.TB, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t.Helper()
	cmd := exec.CommandContext(ctx, Build(t), args...)
	cmd.Env = append([]string{}, env...) // nil would be the variables of the test
	cmd.Stdin = stdin
	cmd.Stdout = stdout
	cmd.Stderr = stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = Patience
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		t.Error(err)
	}
	return cmd.ProcessState.ExitCode()
}

// HeldSockets are free ports, listened on from now to the end of the test. The
// processes that are to serve on them get them, as systemd would pass them.
type HeldSockets struct {
	Public, Admin string // addresses
	files         []*os.File
}

// NewSockets opens sockets on free ports.
func NewSockets(t *testing.T) (s HeldSockets) {
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
	s.Public = hold()
	s.Admin = hold()
	return s
}

// Pass passes the sockets to a command that was not started yet.
func (s HeldSockets) Pass(cmd *exec.Cmd) {
	// systemd passes a process its own id.
	cmd.Args = append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.ExtraFiles = s.files
	cmd.Env = append(cmd.Env, "LISTEN_FDS=2", "LISTEN_FDNAMES=public:admin")
}

// Program is a process of the real binary. It is killed at the end of the test if
// it has not ended by itself.
type Program struct {
	*testing.T
	Cmd   *exec.Cmd
	Out   output
	Ended chan struct{} // closed when the process has ended and cmd.ProcessState is set
}

// Start starts a command without variables of the environment.
func Start(t *testing.T, binary string, args ...string) *Program {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = []string{"HOME=" + t.TempDir()} // no configuration and no HTTP proxy of whoever runs the test
	return StartCommand(t, cmd)
}

// StartCommand starts a process, whose output it keeps.
func StartCommand(t *testing.T, cmd *exec.Cmd) *Program {
	t.Helper()
	p := &Program{T: t, Cmd: cmd, Ended: make(chan struct{})}
	p.Out.changed = make(chan struct{})
	p.Cmd.Stdout = &p.Out
	p.Cmd.Stderr = &p.Out
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.Ended)
		var exit *exec.ExitError
		if err := p.Cmd.Wait(); err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		_ = p.Cmd.Process.Kill() // it has usually ended already
		<-p.Ended
		if t.Failed() {
			t.Logf("%v:\n%s", cmd.Args, p.Out.Text())
		}
	})
	return p
}

// Kill kills the process with SIGKILL.
func (p *Program) Kill() {
	p.Helper()
	if err := p.Cmd.Process.Kill(); err != nil {
		p.Fatal(err)
	}
	<-p.Ended
}

// Expect waits until the process has written a text that matches pattern and returns the
// match and its groups.
func (p *Program) Expect(pattern string) []string {
	p.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.After(Patience)
	for {
		text, changed := p.Out.state()
		if m := re.FindStringSubmatch(text); m != nil {
			return m
		}
		select {
		case <-changed:
		case <-p.Ended:
			if m := re.FindStringSubmatch(p.Out.Text()); m != nil {
				return m
			}
			p.Fatalf("the process ended (%v) without writing %s", p.Cmd.ProcessState, pattern)
		case <-deadline:
			p.Fatalf("the process did not write %s", pattern)
		}
	}
}

// Terminate sends SIGTERM.
func (p *Program) Terminate() {
	p.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.Fatal(err)
	}
}

// Stop terminates the process and returns its exit status. It first closes the idle
// connections of the tests' own client, for whose next requests a drain would wait.
func (p *Program) Stop() int {
	p.Helper()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	p.Terminate()
	return p.ExitStatus()
}

// ExitStatus waits for the process to end.
func (p *Program) ExitStatus() int {
	p.Helper()
	select {
	case <-p.Ended:
	case <-time.After(Patience):
		p.Fatal("the process does not end")
	}
	return p.Cmd.ProcessState.ExitCode()
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

// Text returns the output so far.
func (o *output) Text() string {
	text, _ := o.state()
	return text
}

// Tests are the tests of a package. Run removes the binary after them.
type Tests struct{ *testing.M }

// Run implements the interface of package testscript.
func (m Tests) Run() int {
	defer func() { _ = os.RemoveAll(binary.dir) }() // "" removes nothing
	return testwait.Run(m.M)
}

// Main is TestMain of a package that runs the binary.
func Main(m *testing.M) { os.Exit(Tests{M: m}.Run()) }
