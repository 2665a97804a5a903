package proxy

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// The garbage collector lets a heap double before it collects, and so a full cache take
// twice its bytes. It is held to a limit instead, which follows from what the cache may
// have, and from which a process that has little in its cache stays far away.
const (
	besideCache = 64 << 20 // of the limit, for connections, requests under way, the program
	leastRoom   = 8 << 20
	limitStep   = 8 << 20 // to change the limit stops the program for a moment
)

// memoryLimit is what the runtime may take, in bytes, where the cache may have so much, so
// much of the heap was found alive, and so much is no heap. A quarter of what is alive is
// left to work with whatever that is: with many connections the collector would run all the
// time, for room that nobody can make.
func memoryLimit(cache, alive, other int64) int64 {
	needed := other + alive + max(alive/4, leastRoom)
	return max(cache+cache/2+besideCache, (needed+limitStep-1)/limitStep*limitStep)
}

// LimitMemory bounds the memory of the process by that of its cache, half as much again and
// 64 MiB, until end is called. cache gives the bytes that the cache may have now. A
// GOMEMLIMIT stays as it is. [Ballast] counts, though it takes no memory: about as much
// as the program's text, which does not.
func LimitMemory(cache func() int64) (end func()) {
	before := debug.SetMemoryLimit(-1)
	if before != math.MaxInt64 {
		return func() {}
	}
	var mu sync.Mutex // held while the limit changes
	ended := false
	eachCollection(func() (goOn bool) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return false
		}
		alive, other := runtimeMemory()
		if limit := memoryLimit(cache(), alive, other); limit != debug.SetMemoryLimit(-1) {
			debug.SetMemoryLimit(limit)
		}
		return true
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		debug.SetMemoryLimit(before)
	}
}

// runtimeMemory gives what the last collection found alive, and what is no heap.
func runtimeMemory() (alive, other int64) {
	read := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/memory/classes/metadata/mcache/inuse:bytes"},
		{Name: "/memory/classes/metadata/mspan/inuse:bytes"},
		{Name: "/memory/classes/metadata/other:bytes"},
		{Name: "/memory/classes/os-stacks:bytes"},
		{Name: "/memory/classes/other:bytes"},
	}
	metrics.Read(read)
	for _, s := range read[1:] {
		other += int64(s.Value.Uint64())
	}
	return int64(read[0].Value.Uint64()), other
}

// eachCollection calls f now, and after each collection until it returns false.
func eachCollection(f func() (goOn bool)) {
	if !f() {
		return
	}
	dropped := new([4]*byte) // large enough not to share its memory, and so its end, with others
	runtime.AddCleanup(dropped, func(struct{}) { eachCollection(f) }, struct{}{})
}
