package logging

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	maxPending  = 4 << 20         // bytes of records that wait for the writer, and again as many that are being written
	manyPending = 256 << 10       // bytes that do not wait for the interval
	interval    = time.Second     // at which pending records are written
	stopTimeout = 2 * time.Second // for the last records
)

// queue writes records in a separate goroutine: a slow reader of the log can neither stop nor slow a request.
// Records beyond maxPending are dropped.
type queue struct {
	w    io.Writer
	drop func(records int)               // counts them
	line func(dropped int) (line []byte) // for the log, when records are written again

	wake, ended chan struct{}

	mu      sync.Mutex
	pending []byte
	dropped int // not yet in the log
	stopped bool
}

func newQueue(w io.Writer, drop func(int), line func(int) []byte) *queue {
	q := &queue{w: w, drop: drop, line: line, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go q.run()
	return q
}

// Write implements [zapcore.WriteSyncer]. A write never blocks, and b is one record.
func (q *queue) Write(b []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped || len(q.pending)+len(b) > maxPending {
		q.lose(1)
	} else {
		q.pending = append(q.pending, b...)
	}
	if len(q.pending) >= manyPending {
		return len(b), q.Sync()
	}
	return len(b), nil
}

// Sync implements [zapcore.WriteSyncer]: pending records are written soon. Sync does not wait.
func (q *queue) Sync() error {
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return nil
}

// lose counts dropped records. The caller holds q.mu.
func (q *queue) lose(records int) {
	q.dropped += records
	q.drop(records)
}

func (q *queue) run() {
	defer close(q.ended)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var b batch
	for !b.last {
		select {
		case <-q.wake:
		case <-ticker.C:
		}
		b = q.take(b.records[:0])
		q.write(b)
	}
}

// batch is the output of one call.
type batch struct {
	records []byte
	dropped int // reported by the last of the records; 0 if the last record is not such a report
	last    bool
}

// take returns the pending records. The next ones are gathered in the buffer of the previous ones.
func (q *queue) take(previous []byte) batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := batch{records: q.pending, dropped: q.dropped, last: q.stopped}
	if b.dropped > 0 {
		b.records = append(b.records, q.line(b.dropped)...)
	}
	q.pending = previous
	q.dropped = 0
	return b
}

// write writes records. On an error they are dropped, and the next ones are tried: another reader
// may come.
func (q *queue) write(b batch) {
	if len(b.records) == 0 {
		return
	}
	n, err := q.w.Write(b.records)
	if err == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	records := bytes.Count(b.records[n:], []byte{'\n'})
	if b.dropped > 0 {
		records-- // the report
	}
	q.dropped += b.dropped
	q.lose(records)
}

var errStalled = errors.New("nobody reads the log")

// stop writes the pending records, for a limited time. Later ones are dropped.
func (q *queue) stop() error {
	q.mu.Lock()
	q.stopped = true
	q.mu.Unlock()
	_ = q.Sync() // never fails
	select {
	case <-q.ended:
		return nil
	case <-time.After(stopTimeout):
		return errStalled
	}
}
