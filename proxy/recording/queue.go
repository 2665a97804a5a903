package recording

import (
	"time"

	"go.uber.org/zap"
)

// The limits of the queue. What it holds is lost if the process is killed.
const (
	MaxWaiting      = 1024 // responses
	maxWaitingBytes = 64 << 20
)

// maxDelay is how long a call waits at most for the disk.
const maxDelay = 5 * time.Second

// enqueue queues a response. While the queue is full it waits: a recording that is made at once
// of a whole site is to be complete. If there is no room after maxDelay, calls do not wait again
// until the queue is half empty, so that a disk that hangs delays few of them.
func (r *Recorder) enqueue(c captured) {
	if r.closed() {
		r.counts.dropped.Add(1)
		return
	}
	if r.offer(c) {
		return
	}
	timeout := time.NewTimer(maxDelay)
	defer timeout.Stop()
	for !r.behind.Load() && !r.closed() {
		select {
		case <-r.room:
			if r.offer(c) {
				return
			}
		case <-r.stop:
		case <-timeout.C:
			if !r.behind.Swap(true) {
				r.options.Log.Warn("the disk does not keep up: responses are not recorded until it does", zap.String("dir", r.options.Dir))
			}
		}
	}
	r.counts.dropped.Add(1)
}

// offer queues a response if there is room.
func (r *Recorder) offer(c captured) bool {
	size := int64(len(c.body))
	if r.waiting.Add(size) <= r.maxBytes() {
		select {
		case r.queue <- c:
			return true
		default:
		}
	}
	r.waiting.Add(-size)
	return false
}

func (r *Recorder) maxBytes() int64 { return max(maxWaitingBytes, 2*r.options.MaxBody) }

// wrote makes room in the queue for a response.
func (r *Recorder) wrote(bytes int) {
	if left := r.waiting.Add(-int64(bytes)); left <= r.maxBytes()/2 && len(r.queue) <= cap(r.queue)/2 {
		r.behind.Store(false)
	}
	select {
	case r.room <- struct{}{}:
	default:
	}
}
