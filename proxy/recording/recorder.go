package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
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
	r.options.Log.Warn("the recording is full: no more calls are recorded. Continue it with a higher "+flag,
		zap.String("dir", r.options.Dir),
		zap.Int("calls", r.calls), zap.Int("max_calls", r.options.MaxCalls), zap.Int64("bytes", r.bytes), zap.Int64("max_bytes",
			r.options.MaxBytes))
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

// call identifies a call in a recording, without hosts and without secrets. Two calls are
// the same if all fields are equal.
type call struct {
	Root   string `json:"root"` // [Backend.rootName]
	Method string `json:"method"`
	Path   string `json:"path"`            // below the root, percent-encoded
	Query  string `json:"query,omitempty"` // its pairs sorted

	// Edits reports that the call reads an item before it is written. Its response is
	// older than the response to the last read.
	Edits bool `json:"edits,omitempty"`

	// Sent is the body with its members sorted; nil for none. The file has it for people
	// to read; its hash identifies the call.
	Sent json.RawMessage `json:"sent,omitempty"`
}

// file returns the path of the call's file in a recording: a readable name and a hash. No
// host is in it. It is "" for a call to none of the roots.
func (c *call) file(roots []knownRoot) string {
	at := slices.IndexFunc(roots, func(k knownRoot) bool { return k.name == c.Root })
	if at < 0 {
		return ""
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q %q %q %x", c.Root, c.Method, c.Path, c.Query, sha256.Sum256(c.Sent))
	if c.Edits {
		_, _ = h.Write([]byte(" edits"))
	}
	sum := hex.EncodeToString(h.Sum(nil)[:16])
	return fmt.Sprintf("%s/%s.%s.%s.%s.json", sum[:2], c.Root, c.Method, c.resource(roots[at].namespace), sum)
}

// resource returns what the path is about, such as "events".
func (c *call) resource(namespace string) string {
	path := strings.TrimPrefix(c.Path, "/"+namespace)
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if len(first) > 32 || !plainName.MatchString(first) {
		return "index"
	}
	return first
}

// String returns the call for the log.
func (c *call) String() string {
	s := c.Method + " " + c.Path
	if c.Query != "" {
		s += "?" + c.Query
	}
	return s
}

// Options configure a [Recorder].
type Options struct {
	Dir      string    // created if missing; a recording of the same backends is continued
	Backends []Backend // at least one
	Private  bool      // record calls with credentials or a password too, without these

	Checked Checked // progress of checking a recording that is continued; nil shows nothing

	MaxCalls int   // different calls; 0 is 10,000
	MaxBytes int64 // of all files; 0 is 256 MiB
	MaxBody  int64 // bytes of a response; 0 is 32 MiB

	Program string           // version of the program, stored in the recording
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

// Counts are the numbers of responses by what became of them.
type Counts struct {
	Kept    uint64 // written, the replacements of earlier ones included
	Private uint64 // not written: the call has credentials or a password
	Foreign uint64 // not written: the call is to an unknown root, or its body is not JSON
	Broken  uint64 // not written: not read to the end, or larger than MaxBody
	Dropped uint64 // not written: the disk did not keep up
	Beyond  uint64 // not written: the recording is full
	Failed  uint64 // not written: the disk reported an error
}

// Wrap returns a transport that passes calls to next and records the responses. It fits
// Wrap of [upstream.Options].
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper {
	return recordingTransport{next, r}
}

type recordingTransport struct {
	http.RoundTripper
	to *Recorder
}

// RoundTrip implements [http.RoundTripper].
func (t recordingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, unfit := identify(t.to.roots, req) // before the transport consumes the body
	res, err := t.RoundTripper.RoundTrip(req)
	switch {
	case err != nil:
	case unfit != nil:
		t.to.counts.foreign.Add(1)
	case sent.private && !t.to.options.Private:
		t.to.counts.private.Add(1)
	default:
		c := captured{exchange: exchange{call: sent.call}, secrets: sent.secrets}
		c.exchange.setHead(res.StatusCode, res.Header)
		res.Body = &capturingBody{ReadCloser: res.Body, to: t.to, captured: c}
	}
	return res, err
}

// capturingBody is the body of a response. It queues the response for the disk once the
// body was read to its end.
type capturingBody struct {
	io.ReadCloser
	to       *Recorder
	captured captured
	data     bytes.Buffer
	done     bool // queued or given up
}

// Read implements [io.Reader].
func (b *capturingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case b.done:
	case int64(b.data.Len()+n) > b.to.options.MaxBody:
		b.giveUp()
	default:
		_, _ = b.data.Write(p[:n]) // a buffer does not fail
		if errors.Is(err, io.EOF) {
			b.done = true
			b.captured.body = b.data.Bytes()
			b.to.enqueue(b.captured)
		}
	}
	return n, err
}

// Close implements [io.Closer].
func (b *capturingBody) Close() error {
	if !b.done {
		b.giveUp()
	}
	return b.ReadCloser.Close()
}

func (b *capturingBody) giveUp() {
	b.done = true
	b.data = bytes.Buffer{}
	b.to.counts.broken.Add(1)
}
