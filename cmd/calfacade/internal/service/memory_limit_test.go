package service

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMemoryLimit(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		name                            string
		cache, alive, consumers, expect int64
	}{
		{"empty", 256, 42, 8, 448},
		{"full", 256, 320, 16, 448},
		{"full, with many connections", 256, 600, 80, 832},
		{"a small cache", 1, 42, 8, 66},
		{"a small cache, and some requests", 1, 60, 8, 88},
		{"none", 0, 10, 4, 64},
	} {
		if got := memoryLimit(c.cache*mb, c.alive*mb, c.consumers*mb) / mb; got < c.expect-1 || got > c.expect {
			t.Errorf("%s: %d MiB, want %d", c.name, got, c.expect)
		}
	}
}

// TestLimitMemory: the next collection applies a reloaded size, and in the end removes the limit.
func TestLimitMemory(t *testing.T) {
	if os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("GOMEMLIMIT is set")
	}
	unlimited := func() {
		for debug.SetMemoryLimit(-1) != math.MaxInt64 {
			runtime.GC()
		}
	}
	unlimited() // an earlier test has served
	ctx, end := context.WithCancel(t.Context())
	defer end()
	memory := make(chan int64, 1)
	apply := func(size int64) {
		memory <- size
		for want := size + size/2 + 64<<20; debug.SetMemoryLimit(-1) != want; {
			runtime.GC()
		}
	}
	size := int64(0)
	limitMemory(ctx, func() int64 {
		select {
		case size = <-memory:
		default:
		}
		return size
	})
	apply(1 << 40)
	apply(1 << 41)
	limitMemory(ctx, func() int64 { t.Error("a limit that is set was changed"); return 1 })
	end()
	unlimited()
}
