package cache

import "math"

// The weight of an entry is what the collector finds of it, as near as can be told:
// TestWeightIsWhatIsTaken compares the two. What the weights leave out is memory that
// nothing bounds.

// What is taken beside the bytes of texts and bodies.
const (
	entryOverhead = 400 // the entry, and its place in the tier: a node, a slot of the table, the sketch
	fieldOverhead = 56  // its name's string, and the slice of values
	tagBytes      = 24  // of a tag, at least; they share an array that is made for that many each
	stringHeader  = 16
)

// weight is what e takes under key, in bytes.
func (e *Entry) weight(key string) uint32 {
	n := entryOverhead + allocated(e.held) + allocated(len(key)) + allocated(len(e.ETag)) + allocated(cap(e.Body)) + allocated(cap(e.Gzip))
	for _, f := range e.Fields {
		n += fieldOverhead + allocated(len(f.Name))
		for _, v := range f.Values {
			n += stringHeader + allocated(len(v))
		}
	}
	for _, t := range e.Tags {
		n += stringHeader + max(len(t), tagBytes)
	}
	if p := e.prepared.Load(); p != nil {
		n += p.size
	}
	return uint32(min(n, math.MaxUint32))
}

// allocated is about what the allocator takes for n bytes: it has a size for each 16 to
// 128 bytes at first, for each eighth after that, and whole pages beyond 32 KiB.
func allocated(n int) int {
	const page = 8 << 10
	switch {
	case n <= 512:
		return (n + 15) &^ 15
	case n <= 32<<10:
		return n + n/16
	}
	return (n + page - 1) &^ (page - 1)
}

// prepared is what a caller has made of an entry.
type prepared struct {
	what any
	size int // bytes
}

// Prepared returns what [Cache.Prepare] put beside the entry; nil if there is nothing.
func (e *Entry) Prepared() any {
	if p := e.prepared.Load(); p != nil {
		return p.what
	}
	return nil
}

// Prepare puts something beside e, the entry of key, in place of what was there: what the
// caller has made of it, and would make again at the next hit. It takes size bytes, is
// weighed with the entry, and goes with it.
func (c *Cache) Prepare(key string, e *Entry, what any, size int) {
	e.prepared.Store(&prepared{what, size})
	c.memory.replace(key, e, e)
}
