package recording

import (
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Options say where answers of the upstream are kept, and which.
type Options struct {
	Dir      string    // made if it is not there; a recording of the same backends is gone on with
	Backends []Backend // at least one
	Private  bool      // also what was asked with credentials or a password, without these

	MaxCalls int   // that an answer is kept of; 0 is 10,000
	MaxBytes int64 // of the files; 0 is 256 MiB
	MaxBody  int64 // bytes of an answer; 0 is 32 MiB

	Program string           // version, for who reads the recording
	Log     *zap.Logger      // nil logs nothing
	Clock   func() time.Time // nil is time.Now
}

func (o Options) withDefaults() Options {
	if o.MaxCalls == 0 {
		o.MaxCalls = 10_000
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 256 << 20
	}
	if o.MaxBody == 0 {
		o.MaxBody = 32 << 20
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

// Recorder keeps the answers of the upstream in a directory, of each call the
// latest. It never fails a call, and takes of its time only what handing the
// answer over takes: what cannot be kept is counted. It is safe for concurrent use.
type Recorder struct {
	options Options
	places  []knownRoot

	queue   chan captured
	waiting atomic.Int64  // bytes of bodies in queue
	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed when all that was handed over is written

	counts struct{ kept, private, foreign, broken, dropped, beyond, failed atomic.Uint64 }

	// Of what writes alone.
	sizes map[string]int64 // of the files, in bytes
	bytes int64            // all of them
	full  bool             // and it was told
	fails bool             // likewise
}

// Counts tell what became of the answers.
type Counts struct {
	Kept    uint64 // a later one to the same call included
	Private uint64 // not kept, for there were credentials or a password
	Foreign uint64 // not kept, for the call is to no root of the recording, or cannot be read
	Broken  uint64 // not kept, for they were not read to their end, or were too large
	Dropped uint64 // not kept, for the disk did not keep up
	Beyond  uint64 // not kept, for the recording is as large as it may be
	Failed  uint64 // could not be written
}

// captured is an answer on its way to the disk.
type captured struct {
	answer  exchange // without its body
	body    []byte
	secrets []string // of the call
}

// Bounds of what waits for the disk.
const (
	maxWaiting      = 1024
	maxWaitingBytes = 64 << 20
)

// Open begins a recording, or goes on with one.
func Open(o Options) (*Recorder, error) {
	o = o.withDefaults()
	about := Site{Version: formVersion, Made: o.Clock().UTC().Truncate(time.Second), Program: o.Program, Backends: o.Backends}
	if problem := about.problem(); problem != "" {
		panic("BUG: the backends were validated: " + problem)
	}
	r := &Recorder{
		options: o,
		places:  about.places(),
		queue:   make(chan captured, maxWaiting),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
		sizes:   map[string]int64{},
	}
	if err := r.openDir(&about); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	go r.write()
	return r, nil
}

// Close writes what was handed over. What comes later is not kept.
func (r *Recorder) Close() Counts {
	close(r.stop)
	<-r.stopped
	c := &r.counts
	return Counts{
		Kept: c.kept.Load(), Private: c.private.Load(), Foreign: c.foreign.Load(), Broken: c.broken.Load(),
		Dropped: c.dropped.Load(), Beyond: c.beyond.Load(), Failed: c.failed.Load(),
	}
}

func (r *Recorder) handOver(h captured) {
	size := int64(len(h.body))
	if r.waiting.Add(size) <= max(maxWaitingBytes, 2*r.options.MaxBody) && !r.closed() {
		select {
		case r.queue <- h:
			return
		default:
		}
	}
	r.waiting.Add(-size)
	r.counts.dropped.Add(1)
}

func (r *Recorder) closed() bool {
	select {
	case <-r.stop:
		return true
	default:
		return false
	}
}

// write writes what is handed over, until Close and all of it.
func (r *Recorder) write() {
	defer close(r.stopped)
	for {
		select {
		case h := <-r.queue:
			r.take(h)
		case <-r.stop:
			for {
				select {
				case h := <-r.queue:
					r.take(h)
				default:
					return
				}
			}
		}
	}
}

func (r *Recorder) take(h captured) {
	defer r.waiting.Add(-int64(len(h.body)))
	h.answer.keepBody(h.body)
	if h.answer.repeats(h.secrets) {
		r.counts.private.Add(1)
		return
	}
	data, err := encodeReadably(&h.answer)
	if err != nil {
		r.fail(err)
		return
	}
	name := h.answer.file(r.places)
	before, known := r.sizes[name]
	after := r.bytes - before + int64(len(data))
	if after > r.options.MaxBytes || !known && len(r.sizes) >= r.options.MaxCalls {
		r.refuse()
		return
	}
	if err := r.replace(name, data); err != nil {
		r.fail(err)
		return
	}
	r.sizes[name], r.bytes = int64(len(data)), after
	r.counts.kept.Add(1)
}

// refuse counts an answer that there is no room for.
func (r *Recorder) refuse() {
	r.counts.beyond.Add(1)
	if !r.full {
		r.full = true
		r.options.Log.Warn("the recording is full: answers to other calls are not kept", zap.String("dir", r.options.Dir),
			zap.Int("calls", len(r.sizes)), zap.Int("max_calls", r.options.MaxCalls), zap.Int64("bytes", r.bytes), zap.Int64("max_bytes", r.options.MaxBytes))
	}
}

// fail counts an answer that could not be written. A full disk would tell the
// same of every one.
func (r *Recorder) fail(err error) {
	r.counts.failed.Add(1)
	if !r.fails {
		r.fails = true
		r.options.Log.Error("an answer could not be recorded; others that fail are only counted", zap.Error(err))
	}
}
