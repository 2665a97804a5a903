package recording

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Options configure a [Recorder].
type Options struct {
	Dir      string    // created if missing; a recording of the same backends is continued
	Backends []Backend // at least one
	Private  bool      // record calls with credentials or a password too, without these

	MaxCalls int   // different calls; 0 is 10,000
	MaxBytes int64 // of all files; 0 is 256 MiB
	MaxBody  int64 // bytes of a response; 0 is 32 MiB

	Program string      // version of the program, stored in the recording
	Log     *zap.Logger // nil logs nothing
}

func (o Options) withDefaults() Options {
	o.MaxCalls, o.MaxBytes, o.MaxBody = cmp.Or(o.MaxCalls, 10_000), cmp.Or(o.MaxBytes, 256<<20), cmp.Or(o.MaxBody, 32<<20)
	o.Log = cmp.Or(o.Log, zap.NewNop())
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

// Progress is the state of a recording while it is made.
type Progress struct {
	Counts
	Calls int   // different calls, from earlier runs too
	Bytes int64 // of the files of all calls
}

// The limits of the responses that wait for the disk. They are lost if the process is killed.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 64 << 20
)

// Recorder writes the responses of backends to a directory, the latest of each call. It
// never fails a call and never delays one: a response that it cannot hold until the disk has
// taken it is dropped. It counts what it cannot write. It is safe for concurrent use.
type Recorder struct {
	*recorded
	options Options
	writing sync.WaitGroup

	mu      sync.Mutex     // never held while the disk works
	waiting chan *captured // closed by Close; only add sends
	held    int64          // bytes of what waits, and of what is being written
	closed  bool
	state   Progress // Calls and Bytes are changed by the writing goroutine alone

	full, failed sync.Once // logged
}

// captured is a response that waits for the disk.
type captured struct {
	exchange exchange // without the body of the response
	body     []byte
	secrets  []string // of the call
}

// size returns the bytes that wait.
func (c *captured) size() int64 { return int64(len(c.body) + len(c.exchange.Sent)) }

// Open starts a recording, or continues one.
func Open(o Options) (*Recorder, error) {
	o = o.withDefaults()
	site := Site{Version: formVersion, Made: time.Now().UTC().Truncate(time.Second), Program: o.Program, Backends: o.Backends}
	if err := site.check(); err != nil {
		panic("BUG: the backends were validated: " + err.Error())
	}
	before, err := prepare(o.Dir, site)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	r := &Recorder{recorded: before, options: o, waiting: make(chan *captured, maxWaiting),
		state: Progress{Calls: before.calls, Bytes: before.bytes}}
	r.writing.Go(func() {
		for c := range r.waiting {
			r.write(c)
		}
	})
	return r, nil
}

// Close writes the responses that wait. Later ones are dropped.
func (r *Recorder) Close() Counts {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.waiting)
	}
	r.mu.Unlock()
	r.writing.Wait()
	return r.Progress().Counts
}

// Progress returns the state of the recording.
func (r *Recorder) Progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// count increments a counter of r.state.
func (r *Recorder) count(n *uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*n++
}

// add hands a response to the writing goroutine, or drops it.
func (r *Recorder) add(c *captured) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// One response always has room: the site may send more than the limit at once.
	if r.closed || len(r.waiting) == cap(r.waiting) || r.held > 0 && r.held+c.size() > maxWaitingBytes {
		r.state.Dropped++
		return
	}
	r.held += c.size()
	r.waiting <- c
}

// write stores a response, unless the recording has no room.
func (r *Recorder) write(c *captured) {
	calls, bytes, err := r.store(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held -= c.size()
	switch {
	case errors.Is(err, errSecret):
		r.state.Private++
	case errors.Is(err, errFull):
		r.state.Beyond++
		r.full.Do(func() {
			r.options.Log.Warn("the recording is full: no more calls are recorded. Continue it with a higher --max-calls or --max-bytes",
				zap.String("dir", r.dir), zap.Int("calls", r.state.Calls), zap.Int("max_calls", r.options.MaxCalls),
				zap.Int64("bytes", r.state.Bytes), zap.Int64("max_bytes", r.options.MaxBytes))
		})
	case err != nil:
		r.state.Failed++
		r.failed.Do(func() { // a full disk would cause one record for each call
			r.options.Log.Error("response not recorded; further failures are only counted", zap.Error(err))
		})
	default:
		r.state.Kept++
		r.state.Calls, r.state.Bytes = calls, bytes
	}
}

var (
	errSecret = errors.New("the response repeats a secret of the call")
	errFull   = errors.New("the recording is full")
)

// store writes the file of a response. It returns the totals of the recording with it.
func (r *Recorder) store(c *captured) (calls int, bytes int64, err error) {
	e := &c.exchange
	e.setBody(c.body)
	if e.repeats(c.secrets) {
		return 0, 0, errSecret
	}
	data, err := encodeReadably(e)
	if err != nil {
		return 0, 0, err
	}
	name := e.file(r.roots)
	calls, bytes = r.state.Calls+1, r.state.Bytes+int64(len(data))
	if before, err := os.Lstat(r.path(name)); err == nil {
		calls, bytes = calls-1, bytes-before.Size()
	}
	if bytes > r.options.MaxBytes || calls > max(r.options.MaxCalls, r.state.Calls) {
		return 0, 0, errFull
	}
	return calls, bytes, r.replace(name, data)
}

// unfinished begins the names of files that are being written.
const unfinished = ".tmp-"

// prepare makes the directory of a recording of site, or continues the recording in it. This
// shows that it is writable, too.
func prepare(dir string, site Site) (*recorded, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := tidy(dir); err != nil {
		return nil, err
	}
	before, err := load(dir)
	switch {
	case errors.Is(err, errNoRecording):
		before = &recorded{dir: dir, site: site, roots: site.knownRoots()}
	case err != nil:
		return nil, err
	case !sameBackends(before.site.Backends, site.Backends):
		return nil, fmt.Errorf("%s is a recording of other backends: its %s lists them", dir, siteFile)
	}
	if err := os.Chmod(dir, 0o700); err != nil { // #nosec G302 -- a directory
		return nil, err
	}
	data, err := encodeReadably(before.site)
	if err != nil {
		return nil, err
	}
	return before, before.replace(siteFile, data)
}

// tidy removes files that a process was writing when it ended. It refuses a directory that
// holds other files but is no recording. Like [load], it ignores names that begin with a dot.
func tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	_, missing := os.Stat(filepath.Join(dir, siteFile))
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), unfinished):
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		case missing != nil && !strings.HasPrefix(e.Name(), "."):
			return fmt.Errorf("%s is not empty and not a recording", dir)
		}
	}
	return err
}

// sameBackends compares what the file would hold: nil and empty lists are equal.
func sameBackends(a, b []Backend) bool {
	one, err := encodeReadably(a)
	other, problem := encodeReadably(b)
	return err == nil && problem == nil && bytes.Equal(one, other)
}

// replace writes a complete file, or leaves the previous one.
func (r *recorded) replace(name string, data []byte) (err error) {
	file := r.path(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(r.dir, unfinished+"*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the cause is in err
	}
	return err
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
		t.to.count(&t.to.state.Foreign)
	case len(sent.secrets) > 0 && !t.to.options.Private:
		t.to.count(&t.to.state.Private)
	default:
		c := &captured{exchange: exchange{call: sent.call}, secrets: sent.secrets}
		c.exchange.setHead(res.StatusCode, res.Header)
		res.Body = &capturingBody{ReadCloser: res.Body, to: t.to, captured: c}
	}
	return res, err
}

// capturingBody is the body of a response. It hands the response over once the body was read
// to its end.
type capturingBody struct {
	io.ReadCloser
	to       *Recorder
	captured *captured
	data     bytes.Buffer
	done     bool // handed over or given up
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
			b.to.add(b.captured)
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
	b.to.count(&b.to.state.Broken)
}
