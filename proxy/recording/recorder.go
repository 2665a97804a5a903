package recording

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Recorder writes the responses of backends to a directory, the latest of each call. It
// never fails a call, and delays it only while its queue is full, see [Recorder.enqueue]. What
// it cannot write it counts. It is safe for concurrent use.
type Recorder struct {
	options Options
	roots   []knownRoot

	queue   chan captured
	waiting atomic.Int64  // bytes of bodies in queue
	room    chan struct{} // receives after a response was written
	behind  atomic.Bool   // the disk did not keep up, and the queue is still more than half full
	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed once the queue is written

	counts  struct{ kept, private, foreign, broken, dropped, beyond, failed atomic.Uint64 }
	written written

	// Used by the writing goroutine alone.
	calls      int   // files of calls
	bytes      int64 // of these
	fullLogged bool
	failLogged bool
}

// captured is a response in the queue.
type captured struct {
	exchange exchange // without the body of the response
	body     []byte
	secrets  []string // of the call
}

// Open starts a recording, or continues one.
func Open(o Options) (*Recorder, error) {
	o = o.withDefaults()
	site := Site{Version: formVersion, Made: o.Clock().UTC().Truncate(time.Second), Program: o.Program, Backends: o.Backends}
	if problem := site.problem(); problem != "" {
		panic("BUG: the backends were validated: " + problem)
	}
	r := &Recorder{
		options: o,
		roots:   site.knownRoots(),
		queue:   make(chan captured, MaxWaiting),
		room:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	if err := r.openDir(&site); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	go r.run()
	return r, nil
}

// Close writes the queue. Responses that come later are dropped.
func (r *Recorder) Close() Counts {
	close(r.stop)
	<-r.stopped
	return r.counted()
}

func (r *Recorder) counted() Counts {
	c := &r.counts
	return Counts{
		Kept: c.kept.Load(), Private: c.private.Load(), Foreign: c.foreign.Load(), Broken: c.broken.Load(),
		Dropped: c.dropped.Load(), Beyond: c.beyond.Load(), Failed: c.failed.Load(),
	}
}

func (r *Recorder) closed() bool {
	select {
	case <-r.stop:
		return true
	default:
		return false
	}
}

// run writes responses until Close, and then the rest of the queue.
func (r *Recorder) run() {
	defer close(r.stopped)
	for {
		select {
		case c := <-r.queue:
			r.write(c)
		case <-r.stop:
			for {
				select {
				case c := <-r.queue:
					r.write(c)
				default:
					return
				}
			}
		}
	}
}

func (r *Recorder) write(c captured) {
	defer r.wrote(len(c.body))
	c.exchange.setBody(c.body)
	if c.exchange.repeats(c.secrets) {
		r.counts.private.Add(1)
		return
	}
	data, err := encodeReadably(&c.exchange)
	if err != nil {
		r.fail(err)
		return
	}
	name := c.exchange.file(r.roots)
	before, known := r.size(name)
	calls, bytes := r.calls, r.bytes-before+int64(len(data))
	if !known {
		calls++
	}
	if bytes > r.options.MaxBytes || calls > r.options.MaxCalls && !known {
		r.refuse(bytes > r.options.MaxBytes)
		return
	}
	if err := r.replace(name, data); err != nil {
		r.fail(err)
		return
	}
	r.calls, r.bytes = calls, bytes
	r.counts.kept.Add(1)
	r.written.add(&c.exchange.call, r.namespaceOf(c.exchange.Root), calls, bytes)
}

// size returns the size of the file of a call, in bytes, and whether there is one.
func (r *Recorder) size(name string) (bytes int64, known bool) {
	info, err := os.Lstat(r.path(name))
	if err != nil {
		return 0, false
	}
	return info.Size(), true
}

// refuse counts a response for which the recording has no room, in bytes or in calls.
func (r *Recorder) refuse(bytes bool) {
	r.counts.beyond.Add(1)
	if r.fullLogged {
		return
	}
	r.fullLogged = true
	flag := "--max-calls"
	if bytes {
		flag = "--max-bytes"
	}
	r.options.Log.Warn("the recording is full: no more calls are recorded. Continue it with a higher "+flag, zap.String("dir", r.options.Dir),
		zap.Int("calls", r.calls), zap.Int("max_calls", r.options.MaxCalls), zap.Int64("bytes", r.bytes), zap.Int64("max_bytes", r.options.MaxBytes))
}

// fail counts a response that could not be written. It logs the first: a full disk would
// cause one record for each call.
func (r *Recorder) fail(err error) {
	r.counts.failed.Add(1)
	if !r.failLogged {
		r.failLogged = true
		r.options.Log.Error("response not recorded; further failures are only counted", zap.Error(err))
	}
}
