package memory

// Ballast returns 32 MiB that are never written to, so that the garbage collector does not
// start before the heap has 64 MiB. With a small cache it would otherwise run many times a
// second, at a tenth of the cost of a hit in memory and a quarter of that of a list from
// Redis (calbench -only hits). Ballast takes address space and no memory, but GOMEMLIMIT
// and the metrics of the heap count it. The caller must keep it reachable while it serves.
func Ballast() []byte { return make([]byte, 32<<20) }
