// Package socket reads and writes connections by system calls that Go's scheduler does not
// watch.
//
// The scheduler watches those of package net, because they may block. It starts another
// thread in place of one whose call takes longer than 20 µs, which happens under load, and
// wakes up every 20 µs to look for the next. That is a quarter of the CPU of a hit of 4 KB
// if the client, such as a proxy in front, shares the core (calbench -only proxied). Calls
// here do not block: Go's descriptors are non-blocking, and a call that would have blocked
// is repeated when its descriptor is ready. A connection that always has something to read
// lets others run before each of its reads returns.
//
// The hazard: the garbage collector, which stops all goroutines for a moment, waits for a
// call in progress. So a call copies 256 KiB at most (maxCall).
//
// Start reading at [Listen]. On other systems than Linux connections remain those of
// package net.
package socket
