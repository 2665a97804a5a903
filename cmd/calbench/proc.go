package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticks is the number of clock ticks of /proc per second, on every Linux that Go
// supports.
const ticks = 100

// cpu returns the CPU time of a process and its children so far.
func cpu(pid int) (time.Duration, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return 0, errors.Join(errors.New("no /proc"), err)
	}
	parents, used := map[int]int{}, map[int]time.Duration{}
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		id, parent, took, ok := parseStat(string(data))
		if ok {
			parents[id], used[id] = parent, took
		}
	}
	var sum time.Duration
	for id := range used {
		for at := id; at > 1; at = parents[at] {
			if at == pid {
				sum += used[id]
				break
			}
		}
	}
	return sum, nil
}

// parseStat reads a line of /proc/PID/stat. The name, in brackets, may hold
// anything.
func parseStat(line string) (pid, parent int, took time.Duration, ok bool) {
	head, rest, found := strings.Cut(line, " (")
	f := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
	if !found || len(f) < 13 {
		return 0, 0, 0, false
	}
	var n [4]int
	for i, s := range []string{head, f[1], f[11], f[12]} {
		var err error
		if n[i], err = strconv.Atoi(s); err != nil {
			return 0, 0, 0, false
		}
	}
	return n[0], n[1], time.Duration(n[2]+n[3]) * time.Second / ticks, true
}

// residentOf returns the resident memory of a process, in bytes; 0 without /proc.
func residentOf(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	var kb int64
	_, _ = fmt.Sscan(rest, &kb)
	return kb << 10
}

func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	_, rest, _ := strings.Cut(string(data), "model name")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Trim(line, "\t :")
}
