package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// machine starts processes on one core.
type machine struct {
	dir     string // for their files; removed at the end
	core    string // "" if they cannot be pinned
	stderr  io.Writer
	running []*server
}

// server is a process that serves a URL.
type server struct {
	url   string
	pid   int
	ended chan struct{} // closed when the process has ended
}

// openFiles is the limit of open files of a process: more than the maximum number of connections, and HAProxy counts each
// twice. Without a limit set here, Go starts a child with the limit that this process started with, often 1024.
const openFiles = 32768

func newMachine(stderr io.Writer) (*machine, error) {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return nil, err
	}
	files.Cur = min(files.Max, openFiles)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "calbench")
	m := &machine{dir: dir, stderr: stderr}
	if installed("taskset") {
		m.core = strconv.Itoa(runtime.NumCPU() - 1)
	}
	return m, err
}

// command returns a program on the core. When ctx ends, the program gets a signal to clean up, and is killed
// if it does not exit.
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

// start starts a program that runs until ctx ends, and waits until it accepts connections at address.
func (m *machine) start(ctx context.Context, address, name string, args ...string) (*server, error) {
	c := m.command(ctx, name, args...)
	var output bytes.Buffer
	c.Stderr = &output // also where varnishd reports success
	if err := c.Start(); err != nil {
		return nil, err
	}
	s := &server{url: "http://" + address, pid: c.Process.Pid, ended: make(chan struct{})}
	m.running = append(m.running, s)
	go func() {
		_ = c.Wait()
		close(s.ended)
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
		case <-s.ended:
			return nil, fmt.Errorf("%s did not start: %s: %s", name, c.ProcessState, &output)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// close waits until all processes have ended, and removes their files.
func (m *machine) close() error {
	for _, s := range m.running {
		<-s.ended
	}
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

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// usage is the CPU and memory of a process and of the child processes.
type usage struct {
	cpu      time.Duration // so far
	resident int64         // bytes of memory
}

// usageOf returns the usage of a process.
func usageOf(pid int) (sum usage, err error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return sum, errors.Join(errors.New("no /proc"), err)
	}
	parents := map[int]int{}
	used := map[int]usage{}
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		if id, parent, u, ok := parseStat(string(data)); ok {
			parents[id], used[id] = parent, u
		}
	}
	for id, u := range used {
		for ancestor := id; ancestor > 1; ancestor = parents[ancestor] {
			if ancestor == pid {
				sum.cpu += u.cpu
				sum.resident += u.resident
				break
			}
		}
	}
	return sum, nil
}

// stat has the fields of /proc/PID/stat that parseStat returns. The name, in brackets, may hold anything.
var stat = regexp.MustCompile(`(?s)^(\d+) \(.*\) \S (\d+)(?: \S+){9} (\d+) (\d+)(?: \S+){8} (\d+)`)

// tick is the unit of times in /proc, on every Linux that Go supports.
const tick = time.Second / 100

// parseStat reads a line of /proc/PID/stat.
func parseStat(line string) (pid, parent int, u usage, ok bool) {
	fields := stat.FindStringSubmatch(line)
	if fields == nil {
		return 0, 0, u, false
	}
	var n [5]int
	for i, s := range fields[1:] {
		n[i], _ = strconv.Atoi(s) // digits
	}
	return n[0], n[1], usage{
		cpu:      time.Duration(n[2]+n[3]) * tick,
		resident: int64(n[4] * os.Getpagesize()),
	}, true
}

// inFile returns the match of the group of an expression in a file of /proc.
func inFile(file, expression string) string {
	data, _ := os.ReadFile(file)
	return strings.TrimSpace(find(regexp.MustCompile(expression), string(data)))
}
