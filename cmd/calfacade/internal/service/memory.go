package service

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// By default the heap may double before a collection, so a full cache would take twice the size. The limit
// below prevents that, and depends on the maximum size of the cache; a process with a small cache never comes
// near the limit.
const (
	besideCache = 64 << 20 // bytes for connections, requests in flight and the program
	minHeadroom = 8 << 20  // bytes
	limitStep   = 8 << 20  // bytes; each change of the limit stops the world briefly
)

// memoryLimit returns the soft limit of the runtime in bytes: for a cache of at most cache
// bytes, when the last collection found alive bytes reachable and outsideHeap bytes are outside
// the heap. At least a quarter of alive is left as headroom: with many connections the
// collector would otherwise run continuously and free nothing.
func memoryLimit(cache, alive, outsideHeap int64) int64 {
	needed := outsideHeap + alive + max(alive/4, minHeadroom)
	return max(cache+cache/2+besideCache, (needed+limitStep-1)/limitStep*limitStep)
}

// limitMemory sets the memory limit of the runtime to one and a half times the cache's maximum plus 64 MiB,
// or more where the rest of the program needs more, and updates the limit after each collection. The first
// collection after the end of ctx removes the limit. cache returns the current maximum of the cache in bytes;
// a reload may change it. GOMEMLIMIT disables limitMemory. [ballast] counts toward the limit without
// using memory, which about offsets the text of the program: that uses memory without counting.
func limitMemory(ctx context.Context, cache func() int64) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	eachCollection(func() (goOn bool) {
		limit := int64(math.MaxInt64)
		goOn = ctx.Err() == nil
		if goOn {
			alive, outsideHeap := runtimeMemory()
			limit = memoryLimit(cache(), alive, outsideHeap)
		}
		if limit != debug.SetMemoryLimit(-1) {
			debug.SetMemoryLimit(limit)
		}
		return goOn
	})
}

// runtimeMemory returns the bytes that the last collection found reachable, and those
// outside the heap.
func runtimeMemory() (alive, outsideHeap int64) {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/memory/classes/metadata/mcache/inuse:bytes"},
		{Name: "/memory/classes/metadata/mspan/inuse:bytes"},
		{Name: "/memory/classes/metadata/other:bytes"},
		{Name: "/memory/classes/os-stacks:bytes"},
		{Name: "/memory/classes/other:bytes"},
	}
	metrics.Read(samples)
	for _, s := range samples[1:] {
		outsideHeap += int64(s.Value.Uint64())
	}
	return int64(samples[0].Value.Uint64()), outsideHeap
}

// eachCollection calls f now and after each collection, until f returns false.
func eachCollection(f func() (goOn bool)) {
	if !f() {
		return
	}
	dropped := new([4]*byte) // large enough for a separate allocation, so that the collector frees this pointer alone
	runtime.AddCleanup(dropped, func(struct{}) { eachCollection(f) }, struct{}{})
}

// ballast returns 32 MiB that are never written to, so that the garbage collector does not start before the
// heap has 64 MiB. With a small cache the collector would otherwise run many times a second, at a tenth of
// the cost of a hit in memory and a quarter of the cost of a list from Redis. The ballast takes address space
// and no memory, but counts in GOMEMLIMIT and the metrics of the heap. The caller must keep the ballast
// reachable while serving.
func ballast() []byte { return make([]byte, 32<<20) }
