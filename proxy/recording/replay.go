package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// Replay responds to calls from a recording and makes none. Credentials are ignored: every
// client gets what was recorded. It holds no response in memory, and no list of them: a call
// has the name of its file. It is safe for concurrent use.
type Replay struct {
	dir      string
	log      *zap.Logger
	recorded *loaded
}

// OpenReplay checks the recording in dir, and passes its progress to show. A nil log logs
// nothing, and a nil show shows nothing.
func OpenReplay(dir string, log *zap.Logger, show Checked) (*Replay, error) {
	if log == nil {
		log = zap.NewNop()
	}
	l, err := load(dir, show)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return &Replay{dir: dir, log: log, recorded: l}, nil
}

// Backend returns a backend by its name; nil if it was not recorded. A proxy on a replay
// must use its roots: the recorded links begin with them.
func (p *Replay) Backend(name string) *Backend {
	for i := range p.recorded.site.Backends {
		if b := &p.recorded.site.Backends[i]; b.Name == name {
			return b
		}
	}
	return nil
}

// Made returns when the recording was started.
func (p *Replay) Made() time.Time { return p.recorded.site.Made }

// Len returns the number of recorded calls at the start.
func (p *Replay) Len() int { return p.recorded.calls }

// Wrap returns a transport that replaces the given one and never calls it. It fits Wrap of
// [upstream.Options].
func (p *Replay) Wrap(http.RoundTripper) http.RoundTripper { return replayTransport{p} }

type replayTransport struct{ replay *Replay }

// RoundTrip implements [http.RoundTripper].
func (t replayTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	roots := t.replay.recorded.roots
	sent, err := identify(roots, req)
	if req.Body != nil {
		_ = req.Body.Close() // only read: a failed close loses nothing
	}
	if canceled := req.Context().Err(); canceled != nil {
		return nil, canceled
	}
	file := sent.call.file(roots)
	message := "not recorded"
	if err == nil {
		var found *exchange
		if found, err = t.replay.read(file); found != nil {
			return found.response(req), nil
		}
		if err != nil {
			message = "recorded response is damaged"
		}
	}
	t.replay.log.Warn(message, zap.String("dir", t.replay.dir), zap.String("root", sent.call.Root),
		zap.Stringer("call", &sent.call), zap.String("file", file), zap.Error(err))
	return nil, upstream.ErrNotRecorded
}

// read returns the exchange of a file; nil if there is none. It is checked again: the file may
// have changed since the start.
func (p *Replay) read(file string) (*exchange, error) {
	data, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := decodeExchange(data, file, p.recorded.roots)
	if err != nil {
		return nil, err
	}
	return e, compact(&e.Body)
}

func (e *exchange) response(req *http.Request) *http.Response {
	body := e.bytes()
	return &http.Response{
		Status: fmt.Sprint(e.Status, " ", http.StatusText(e.Status)), StatusCode: e.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: e.header(), Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}
