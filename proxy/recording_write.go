package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// RecordingOptions say where answers of the upstream are kept, and which.
type RecordingOptions struct {
	Dir      string            // made if it is not there; a recording of the same backends is gone on with
	Backends []RecordedBackend // at least one
	Private  bool              // also what was asked with credentials or a password, without these

	MaxCalls int   // that an answer is kept of; 0 is 10,000
	MaxBytes int64 // of the files; 0 is 256 MiB
	MaxBody  int64 // bytes of an answer; 0 is 32 MiB

	Program string           // version, for who reads the recording
	Log     *zap.Logger      // nil logs nothing
	Clock   func() time.Time // nil is time.Now
}

func (o RecordingOptions) withDefaults() RecordingOptions {
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

// Recording keeps the answers of the upstream in a directory, of each call the
// latest. It never fails a call, and takes of its time only what handing the
// answer over takes: what cannot be kept is counted. It is safe for concurrent use.
type Recording struct {
	options RecordingOptions
	places  []place

	queue   chan heard
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

// RecordingCounts tell what became of the answers.
type RecordingCounts struct {
	Kept    uint64 // a later one to the same call included
	Private uint64 // not kept, for there were credentials or a password
	Foreign uint64 // not kept, for the call is to no root of the recording, or cannot be read
	Broken  uint64 // not kept, for they were not read to their end, or were too large
	Dropped uint64 // not kept, for the disk did not keep up
	Beyond  uint64 // not kept, for the recording is as large as it may be
	Failed  uint64 // could not be written
}

// heard is an answer on its way to the disk.
type heard struct {
	answer  recorded // without its body
	body    []byte
	secrets []string // of the call
}

// Bounds of what waits for the disk.
const (
	maxWaiting      = 1024
	maxWaitingBytes = 64 << 20
)

// OpenRecording begins a recording, or goes on with one.
func OpenRecording(o RecordingOptions) (*Recording, error) {
	o = o.withDefaults()
	about := RecordedSite{Version: recordingVersion, Made: o.Clock().UTC().Truncate(time.Second), Program: o.Program, Backends: o.Backends}
	if problem := about.problem(); problem != "" {
		panic("BUG: the backends were validated: " + problem)
	}
	r := &Recording{
		options: o,
		places:  about.places(),
		queue:   make(chan heard, maxWaiting),
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

// openDir makes the directory ready, which shows that it can be written.
func (r *Recording) openDir(about *RecordedSite) error {
	dir := r.options.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	before, err := loadRecording(dir)
	switch {
	case errors.Is(err, errNoRecording):
		if err := isFree(dir); err != nil {
			return err
		}
	case err != nil:
		return err
	case !sameBackends(before.site.Backends, about.Backends):
		return fmt.Errorf("%s is a recording of other backends: its %s tells of which", dir, aboutFile)
	default:
		about.Made, about.Program = before.site.Made, before.site.Program
		r.sizes = before.sizes
		for _, size := range before.sizes {
			r.bytes += size
		}
	}
	err = os.Chmod(dir, 0o700) // #nosec G302 -- a directory
	if err != nil {
		return err
	}
	if err := sweep(dir); err != nil {
		return err
	}
	data, err := encodeReadably(about)
	if err != nil {
		return err
	}
	return r.replace(aboutFile, data)
}

// isFree refuses a directory that holds something of somebody else's. What does
// not show is passed over, as [loadRecording] does.
func isFree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s is not empty, and no recording", dir)
		}
	}
	return nil
}

// sweep removes what a process that ended in the middle was writing.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// sameBackends compares as the file does: no aliases are no aliases.
func sameBackends(a, b []RecordedBackend) bool {
	one, err := encodeReadably(a)
	if err != nil {
		return false
	}
	other, err := encodeReadably(b)
	return err == nil && bytes.Equal(one, other)
}

// Wrap gives a transport that does what next does, and keeps what comes back. It
// is a [UpstreamOptions.Wrap].
func (r *Recording) Wrap(next http.RoundTripper) http.RoundTripper {
	return recordingTransport{next, r}
}

// Close writes what was handed over. What comes later is not kept.
func (r *Recording) Close() RecordingCounts {
	close(r.stop)
	<-r.stopped
	c := &r.counts
	return RecordingCounts{
		Kept: c.kept.Load(), Private: c.private.Load(), Foreign: c.foreign.Load(), Broken: c.broken.Load(),
		Dropped: c.dropped.Load(), Beyond: c.beyond.Load(), Failed: c.failed.Load(),
	}
}

type recordingTransport struct {
	http.RoundTripper
	recording *Recording
}

// RoundTrip implements [http.RoundTripper].
func (t recordingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	r := t.recording
	l, unfit := listen(r.places, req) // before the request is sent, with the body of which that ends
	res, err := t.RoundTripper.RoundTrip(req)
	switch {
	case err != nil:
	case unfit != nil:
		r.counts.foreign.Add(1)
	case l.private && !r.options.Private:
		r.counts.private.Add(1)
	default:
		h := heard{answer: recorded{recordedCall: l.call}, secrets: l.secrets}
		h.answer.keep(res.StatusCode, res.Header)
		res.Body = &copied{ReadCloser: res.Body, to: r, heard: h}
	}
	return res, err
}

// copied is the body of an answer, which is handed over when it was read to its
// end.
type copied struct {
	io.ReadCloser
	to    *Recording
	heard heard
	data  bytes.Buffer
	done  bool // handed over, or given up
}

// Read implements [io.Reader].
func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	switch {
	case c.done:
	case int64(c.data.Len()+n) > c.to.options.MaxBody:
		c.giveUp()
	default:
		_, _ = c.data.Write(p[:n]) // a buffer takes everything
		if errors.Is(err, io.EOF) {
			c.done = true
			c.heard.body = c.data.Bytes()
			c.to.handOver(c.heard)
		}
	}
	return n, err
}

// Close implements [io.Closer].
func (c *copied) Close() error {
	if !c.done {
		c.giveUp()
	}
	return c.ReadCloser.Close()
}

func (c *copied) giveUp() {
	c.done = true
	c.data = bytes.Buffer{}
	c.to.counts.broken.Add(1)
}

func (r *Recording) handOver(h heard) {
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

func (r *Recording) closed() bool {
	select {
	case <-r.stop:
		return true
	default:
		return false
	}
}

// write writes what is handed over, until Close and all of it.
func (r *Recording) write() {
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

func (r *Recording) take(h heard) {
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
func (r *Recording) refuse() {
	r.counts.beyond.Add(1)
	if !r.full {
		r.full = true
		r.options.Log.Warn("the recording is full: answers to other calls are not kept", zap.String("dir", r.options.Dir),
			zap.Int("calls", len(r.sizes)), zap.Int("max_calls", r.options.MaxCalls), zap.Int64("bytes", r.bytes), zap.Int64("max_bytes", r.options.MaxBytes))
	}
}

// fail counts an answer that could not be written. A full disk would tell the
// same of every one.
func (r *Recording) fail(err error) {
	r.counts.failed.Add(1)
	if !r.fails {
		r.fails = true
		r.options.Log.Error("an answer could not be recorded; others that fail are only counted", zap.Error(err))
	}
}

// replace writes a file whole, or leaves what was there.
func (r *Recording) replace(name string, data []byte) (err error) {
	file := filepath.Join(r.options.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(r.options.Dir, unfinished+"*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // err tells what matters
	}
	return err
}
