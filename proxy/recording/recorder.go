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
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// Options configure a [Recorder].
type Options struct {
	Dir      string    // created if missing; a recording of the same backends is continued
	Backends []Backend // at least one

	MaxCalls int   // different calls; 0 is [DefaultMaxCalls]
	MaxBytes int64 // of all files; 0 is [DefaultMaxBytes]
	MaxBody  int64 // bytes of a response; 0 is [upstream.DefaultMaxBody]

	Program string      // version of the program, stored in the recording
	Log     *zap.Logger // nil logs nothing
}

// The defaults of [Options.MaxCalls] and [Options.MaxBytes], which the flags of the command have too.
const (
	DefaultMaxCalls = 10_000
	DefaultMaxBytes = 256 << 20
)

// Counts are the numbers of responses by outcome.
type Counts struct {
	Kept    uint64 // written, the replacements of earlier ones included
	Private uint64 // not written: the call is a write, or has credentials or a password
	Foreign uint64 // not written: the call is to an unknown root
	Broken  uint64 // not written: incomplete, or larger than MaxBody
	Beyond  uint64 // not written: the recording is full
	Failed  uint64 // not written: the disk reported an error
}

// Recorder writes the responses of backends to anonymous reads to a directory, the latest of
// each call. No call fails because of the recorder: failed writes are counted. Only a call with a response to write
// waits for the disk. A recorder is safe for concurrent use.
type Recorder struct {
	*recorded
	options Options

	disk                  sync.Mutex // held while the disk works: one file may have several writers
	fullOnce, failureOnce sync.Once  // logged

	stored, private, foreign, broken, beyond, failed atomic.Uint64 // see [Counts]
}

// Open starts a recording, or continues one.
func Open(o Options) (*Recorder, error) {
	o.MaxCalls = cmp.Or(o.MaxCalls, DefaultMaxCalls)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.MaxBody = cmp.Or(o.MaxBody, upstream.DefaultMaxBody)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	site := Site{Version: formVersion, Made: time.Now().UTC().Truncate(time.Second), Program: o.Program, Backends: o.Backends}
	existing, err := prepare(o.Dir, site)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return &Recorder{recorded: existing, options: o}, nil
}

// Counts returns the numbers so far.
func (r *Recorder) Counts() Counts {
	return Counts{
		Kept:    r.stored.Load(),
		Private: r.private.Load(),
		Foreign: r.foreign.Load(),
		Broken:  r.broken.Load(),
		Beyond:  r.beyond.Load(),
		Failed:  r.failed.Load(),
	}
}

// Wrap returns a transport that passes calls to next and records the responses, for
// Wrap of [upstream.Options].
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper {
	return recordingTransport{RoundTripper: next, recorder: r}
}

type recordingTransport struct {
	http.RoundTripper
	recorder *Recorder
}

// RoundTrip implements [http.RoundTripper].
func (t recordingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	c, public := identify(t.recorder.roots, req)
	res, err := t.RoundTripper.RoundTrip(req)
	if err != nil {
		return res, err
	}
	switch {
	case c.Root == "":
		t.recorder.foreign.Add(1)
	case !public:
		t.recorder.private.Add(1)
	default:
		t.recorder.record(c, res)
	}
	return res, nil
}

// record reads a response and writes it. The body can be read as before.
func (r *Recorder) record(c call, res *http.Response) {
	stream := res.Body
	body, err := io.ReadAll(io.LimitReader(stream, r.options.MaxBody+1))
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), stream), stream} // a reader returns an error again
	if err != nil || int64(len(body)) > r.options.MaxBody {
		r.broken.Add(1)
		return
	}
	e := &exchange{call: c}
	e.setHead(res.StatusCode, res.Header)
	e.setBody(body)
	r.write(e)
}

// write stores a response, unless the recording has no room.
func (r *Recorder) write(e *exchange) {
	data := encodeReadably(e)
	name := e.file(r.roots)
	r.disk.Lock()
	defer r.disk.Unlock()
	calls := r.calls + 1
	bytes := r.bytes + int64(len(data))
	if info, err := os.Lstat(r.path(name)); err == nil {
		calls = calls - 1
		bytes = bytes - info.Size()
	}
	if bytes > r.options.MaxBytes || calls > max(r.options.MaxCalls, r.calls) {
		r.beyond.Add(1)
		r.fullOnce.Do(func() {
			r.options.Log.Warn("the recording is full: no more calls are recorded. Continue it with a higher --max-calls or --max-bytes",
				zap.String("dir", r.dir), zap.Int("calls", r.calls), zap.Int("max_calls", r.options.MaxCalls),
				zap.Int64("bytes", r.bytes), zap.Int64("max_bytes", r.options.MaxBytes))
		})
		return
	}
	if err := r.replace(name, data); err != nil {
		r.failed.Add(1)
		r.failureOnce.Do(func() { // a full disk would cause one record for each call
			r.options.Log.Error("response not recorded; further failures are only counted", zap.Error(err))
		})
		return
	}
	r.calls, r.bytes = calls, bytes
	r.stored.Add(1)
}

// unfinished is the name of a file that is being written.
const unfinished = ".tmp"

// prepare makes the directory of a recording of site, or continues the recording in the directory. The file of
// the site is written in both cases, so that a read-only directory is an error.
func prepare(dir string, site Site) (*recorded, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	existing, err := load(dir)
	switch {
	case errors.Is(err, errNoRecording) && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !hidden(e.Name()) }):
		return nil, fmt.Errorf("%s is not empty and not a recording", dir)
	case errors.Is(err, errNoRecording):
		existing = &recorded{dir: dir, site: site, roots: site.knownRoots()}
	case err != nil:
		return nil, err
	case !SameBackends(existing.site.Backends, site.Backends):
		return nil, fmt.Errorf("%s is a recording of other backends: its %s lists them", dir, siteFile)
	}
	err = os.Chmod(dir, 0o700) // #nosec G302 -- a directory
	if err != nil {
		return nil, err
	}
	if err := existing.replace(siteFile, encodeReadably(existing.site)); err != nil {
		return nil, err
	}
	return existing, nil
}

// SameBackends compares backends in the form of a recording's file: nil and empty lists are equal.
func SameBackends(a, b []Backend) bool {
	return bytes.Equal(encodeReadably(a), encodeReadably(b))
}

// replace writes a complete file, or leaves the previous file. The next call replaces an unfinished file.
func (r *recorded) replace(name string, data []byte) error {
	file := r.path(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(r.path(unfinished), data, 0o600); err != nil {
		return err
	}
	return os.Rename(r.path(unfinished), file)
}
