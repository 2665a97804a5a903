package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMemoryLimit(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		name                        string
		cache, alive, other, expect int64
	}{
		{"empty", 256, 42, 8, 448},
		{"full", 256, 320, 16, 448},
		{"full, with many connections", 256, 600, 80, 832},
		{"a small cache", 1, 42, 8, 66},
		{"a small cache, and some requests", 1, 60, 8, 88},
		{"none", 0, 10, 4, 64},
	} {
		if got := memoryLimit(c.cache*mb, c.alive*mb, c.other*mb) / mb; got < c.expect-1 || got > c.expect {
			t.Errorf("%s: %d MiB, want %d", c.name, got, c.expect)
		}
	}
}

// TestLimitMemory: the next collection applies a reloaded size; end restores the default.
func TestLimitMemory(t *testing.T) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Skip("GOMEMLIMIT is set")
	}
	var memory int64 = 1 << 40
	read := make(chan struct{}, 100)
	end := limitMemory(func() int64 {
		read <- struct{}{}
		return memory
	})
	<-read
	if got := debug.SetMemoryLimit(-1); got != 1<<40+1<<39+64<<20 {
		t.Errorf("limit %d", got)
	}
	runtime.GC()
	<-read
	limitMemory(func() int64 { t.Error("a limit that is set was changed"); return 1 })()
	end()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("limit %d in the end", got)
	}
}
