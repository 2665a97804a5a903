package cache

import "math"

// The weight of an entry is an estimate of the heap that it takes: TestWeightMatchesMemory
// compares the two. Memory that the weights leave out is not bounded.

// The bytes taken beside those of texts and bodies.
const (
	entryOverhead = 400 // the entry, and in the tier its node, slot of the table, and part of the sketch
	fieldOverhead = 56  // its name's string, and the slice of values
	tagBytes      = 24  // of a tag, at least; they share an array that is made for that many each
	stringHeader  = 16
)

// weight returns the bytes that e takes under key.
func (e *Entry) weight(key string) uint32 {
	n := entryOverhead + allocated(len(key)) + allocated(len(e.ETag))
	if e.held > 0 {
		n += allocated(e.held)
	} else {
		n += allocated(cap(e.Body)) + allocated(cap(e.Gzip))
	}
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

// allocated returns about the bytes that the allocator takes for n bytes: its size classes
// are 16 to 128 bytes apart at first, then an eighth, and whole pages beyond 32 KiB.
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
