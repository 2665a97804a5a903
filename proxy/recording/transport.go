package recording

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

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
