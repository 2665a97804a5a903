package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/calfacade/calfacade/mapping"
)

// entryCount is the number of entries with which the memory is measured.
const entryCount = 100_000

// measureMemory stores 100,000 events in the memory of a facade, each fetched, rewritten and
// compressed, and prints their size.
func measureMemory(ctx context.Context, p process) error {
	o := facadeOptions{cached: true, memory: 4 << 30}
	if err := p.flags(func(f *flag.FlagSet) { f.StringVar(&o.origin, "origin", "", "") }); err != nil {
		return err
	}
	f, stored, stop, err := o.build()
	if err != nil {
		return err
	}
	defer stop()
	one := &memoryWriter{header: http.Header{}}
	f.ServeHTTP(one, newRequest("/wp-json/"+mapping.Namespace+"/events/1"))
	size := one.body.Len()
	heap, resident := memoryNow()
	for i := range entryCount {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.ServeHTTP(&discard{header: http.Header{}}, newRequest(fmt.Sprintf("/wp-json/%s/events/%d", mapping.Namespace, i+2)))
	}
	for i := range entryCount {
		if err := compressed(ctx, f, i+2); err != nil {
			return err
		}
	}
	peak := residentNow()
	heapAfter, residentAfter := memoryNow()
	stats := stored.Stats()
	own := float64(stats.Bytes)
	plain := float64(size) * float64(entryCount)
	return json.NewEncoder(p.stdout).Encode([]check{
		{Name: "entries in memory", Got: float64(stats.Entries), Unit: "entries", Limit: entryCount, Minimum: true},
		{Name: "plain body of each entry", Got: float64(size), Unit: "bytes"},
		{Name: "weight of each entry (bodies, header fields, tags)", Got: own / entryCount, Unit: "bytes"},
		{Name: "live heap / weight", Got: float64(heapAfter-heap) / own, Unit: "×", Limit: 1.5},
		{Name: "live heap / plain bodies", Got: float64(heapAfter-heap) / plain, Unit: "×"},
		{Name: "resident after a collection / weight", Got: float64(residentAfter-resident) / own, Unit: "×"},
		{Name: "peak resident (GOGC=100) / weight", Got: float64(peak-resident) / own, Unit: "×"},
	})
}

// compressed requests an event until the response is compressed.
func compressed(ctx context.Context, f http.Handler, id int) error {
	r := newRequest(fmt.Sprintf("/wp-json/%s/events/%d", mapping.Namespace, id))
	r.Header["Accept-Encoding"] = []string{"gzip"}
	for ctx.Err() == nil {
		w := &discard{header: http.Header{}}
		f.ServeHTTP(w, r)
		if w.header["Content-Encoding"] != nil {
			return nil
		}
		runtime.Gosched()
	}
	return ctx.Err()
}

// memoryNow returns the bytes that are reachable, and the resident memory of the process once
// the rest is returned to the system.
func memoryNow() (heap, resident int64) {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), residentNow()
}

func residentNow() int64 { return residentOf(os.Getpid()) }
