package socket

import (
	"cmp"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// The most that a system call reads or writes. The kernel copies it in some 30 µs.
const (
	maxCall  = 256 << 10 // bytes
	pieces   = 2         // of a write
	maxPiece = maxCall / pieces
)

// reading is a call of Read. The connection has one for all, so that none allocates.
type reading struct {
	mu     sync.Mutex
	p      []byte
	n      int
	waited bool // for something to read
	failed syscall.Errno
	try    func(fd uintptr) (done bool) // once
}

// call waits until a read into p, which is not empty, has a result.
func (r *reading) call(raw syscall.RawConn, p []byte) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p, r.n, r.failed, r.waited = p[:min(len(p), maxCall)], 0, 0, false
	err = raw.Read(r.try)
	r.p = nil
	if r.n > 0 && !r.waited { // a read that net/http aborts must end at once
		runtime.Gosched() // as a watched call does under load: other connections have waited longer
	}
	return r.n, cmp.Or(err, failure("read", r.failed))
}

func (r *reading) once(fd uintptr) (done bool) {
	for {
		n, _, e := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(&r.p[0])), uintptr(len(r.p))) // #nosec G103 -- the only way to read without Go's scheduler
		switch e {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			r.waited = true
			return false
		case 0:
			r.n = int(n) // #nosec G115 -- at most len(r.p)
		default:
			r.failed = e
		}
		return true
	}
}

// writing is a call of Write, like reading.
type writing struct {
	mu     sync.Mutex
	few    [pieces]syscall.Iovec
	left   []syscall.Iovec // of few, or of an array of its own if they are more
	n      int
	failed syscall.Errno
	try    func(fd uintptr) (done bool) // once
}

// call waits until both pieces are written.
func (w *writing) call(raw syscall.RawConn, first, second []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left, w.n, w.failed = w.few[:0], 0, 0
	w.add(first)
	w.add(second)
	if len(w.left) > 0 {
		err = raw.Write(w.try)
	}
	w.few, w.left = [pieces]syscall.Iovec{}, nil
	return w.n, cmp.Or(err, failure("write", w.failed))
}

func (w *writing) add(p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxPiece)
		w.left = append(w.left, syscall.Iovec{Base: &p[0]})
		w.left[len(w.left)-1].SetLen(n)
		p = p[n:]
	}
}

// next returns the pieces of the next system call.
func (w *writing) next() []syscall.Iovec { return w.left[:min(len(w.left), pieces)] }

func (w *writing) once(fd uintptr) (done bool) {
	for len(w.left) > 0 {
		next := w.next()
		n, _, e := syscall.RawSyscall(syscall.SYS_WRITEV, fd, uintptr(unsafe.Pointer(&next[0])), uintptr(len(next))) // #nosec G103 -- as in reading
		switch e {
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		case 0:
			w.sent(int(n)) // #nosec G115 -- at most the length of both pieces
		default:
			w.failed = e
			return true
		}
	}
	return true
}

// sent takes n bytes from what is left.
func (w *writing) sent(n int) {
	w.n += n
	for len(w.left) > 0 && uint64(n) >= uint64(w.left[0].Len) { // 32 bits on some systems
		n -= int(w.left[0].Len) // #nosec G115 -- at most n
		w.left = w.left[1:]
	}
	if n > 0 {
		piece := unsafe.Slice(w.left[0].Base, w.left[0].Len)[n:] // #nosec G103 -- a part of what the caller wrote
		w.left[0].Base = &piece[0]
		w.left[0].SetLen(len(piece))
	}
}

func failure(call string, e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return os.NewSyscallError(call, e)
}
