package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
	"go.uber.org/zap"
)

// Replay answers calls from a recording, and makes none. Who asks changes nothing:
// what a recording holds it gives to everybody. It is safe for concurrent use.
type Replay struct {
	dir      string
	log      *zap.Logger
	recorded *loaded
}

// OpenReplay reads the recording in dir into memory. A nil log logs nothing.
func OpenReplay(dir string, log *zap.Logger) (*Replay, error) {
	if log == nil {
		log = zap.NewNop()
	}
	l, err := loadRecording(dir)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return &Replay{dir: dir, log: log, recorded: l}, nil
}

// Backend gives what a backend was, by its name; nil if the recording has none
// of it. A facade on a replay must be made with its roots: links in what was
// recorded begin with them.
func (p *Replay) Backend(name string) *RecordedBackend {
	for i := range p.recorded.site.Backends {
		if b := &p.recorded.site.Backends[i]; b.Name == name {
			return b
		}
	}
	return nil
}

// Made is when the recording was begun.
func (p *Replay) Made() time.Time { return p.recorded.site.Made }

// Len is how many calls it answers.
func (p *Replay) Len() int { return len(p.recorded.answers) }

// Wrap gives a transport that answers in the place of the one given, which it
// never calls. It is a [UpstreamOptions.Wrap].
func (p *Replay) Wrap(http.RoundTripper) http.RoundTripper { return replayTransport{p} }

type replayTransport struct{ replay *Replay }

// RoundTrip implements [http.RoundTripper].
func (t replayTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	l, err := listen(t.replay.recorded.places, req)
	if req.Body != nil {
		_ = req.Body.Close() // it was only read
	}
	if canceled := req.Context().Err(); canceled != nil {
		return nil, canceled
	}
	answer := t.replay.find(l.call)
	if err != nil || answer == nil {
		t.replay.log.Warn("not recorded", zap.String("dir", t.replay.dir), zap.String("root", l.call.Root),
			zap.Stringer("call", &l.call), zap.String("file", l.call.file(t.replay.recorded.places)), zap.Error(err))
		return nil, upstream.ErrNotRecorded
	}
	return answer.response(req), nil
}

// find gives the answer to a call, nil if there is none.
func (p *Replay) find(call recordedCall) *recorded {
	return p.recorded.answers[call.file(p.recorded.places)]
}

func (r *recorded) response(req *http.Request) *http.Response {
	body := r.bytes()
	return &http.Response{
		Status: fmt.Sprint(r.Status, " ", http.StatusText(r.Status)), StatusCode: r.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header(), Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}
