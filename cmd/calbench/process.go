package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// machine starts processes on one core, and stops them.
type machine struct {
	dir     string // for their files; removed at the end
	self    string // this program
	core    string // "" if they cannot be pinned
	stderr  io.Writer
	running []*server
}

// server is a process that serves a URL.
type server struct {
	url  string
	cmd  *exec.Cmd
	hold io.Closer // its stdin; closing it ends the process
	wait func()    // until it has ended, with whatever status
}

// openFiles is the limit of open files of a process: more than the maximum number of
// connections, of which HAProxy counts each twice. Unless it is set, Go starts a child with the limit
// of its own start, often 1024.
const openFiles = 16384

func newMachine(stderr io.Writer) (*machine, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return nil, err
	}
	files.Cur = min(files.Max, openFiles)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "calbench")
	if err != nil {
		return nil, err
	}
	m := &machine{dir: dir, self: self, stderr: stderr}
	if _, err := exec.LookPath("taskset"); err == nil {
		m.core = strconv.Itoa(runtime.NumCPU() - 1)
	}
	return m, nil
}

// command returns a program on the core. When ctx ends, it gets a signal to clean up, and
// is killed if it does not exit.
func (m *machine) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if m.core != "" {
		name, args = "taskset", append([]string{"-c", m.core, name}, args...)
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = m.dir
	c.Stderr = m.stderr
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 5 * time.Second
	return c
}

// role starts this program in a serving role.
func (m *machine) role(ctx context.Context, args ...string) (*server, error) {
	c := m.command(ctx, m.self, args...)
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s, err := m.start(c)
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s did not start: %w", args[0], err)
	}
	s.url = strings.TrimSpace(line)
	return s, nil
}

// program starts another program, and waits until it accepts connections at address.
func (m *machine) program(ctx context.Context, address, name string, args ...string) (*server, error) {
	c := m.command(ctx, name, args...)
	var output bytes.Buffer
	c.Stderr = &output // also where varnishd reports success
	s, err := m.start(c)
	if err != nil {
		return nil, err
	}
	s.url = "http://" + address
	ended := make(chan struct{})
	go func() {
		s.wait()
		close(ended)
	}()
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return s, conn.Close()
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s did not start: %w", name, err)
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("%s did not start: %s: %s", name, c.ProcessState, &output)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (m *machine) start(c *exec.Cmd) (*server, error) {
	hold, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: c, hold: hold, wait: sync.OnceFunc(func() { _ = c.Wait() })}
	m.running = append(m.running, s)
	return s, nil
}

// stop stops all processes, the last one first, and removes their files.
func (m *machine) stop() error {
	for i := len(m.running) - 1; i >= 0; i-- {
		s := m.running[i]
		// Both fail only if it has ended already.
		_ = s.hold.Close()
		_ = s.cmd.Cancel()
		killer := time.AfterFunc(5*time.Second, func() { _ = s.cmd.Process.Kill() })
		s.wait()
		killer.Stop()
	}
	m.running = nil
	return os.RemoveAll(m.dir)
}

func (m *machine) file(name, text string) (string, error) {
	path := filepath.Join(m.dir, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// freeAddress returns an address that was free a moment ago.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
