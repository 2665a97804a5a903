package recording

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// Wrap gives a transport that does what next does, and keeps what comes back. It
// is a [UpstreamOptions.Wrap].
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper {
	return recordingTransport{next, r}
}

type recordingTransport struct {
	http.RoundTripper
	recording *Recorder
}

// RoundTrip implements [http.RoundTripper].
func (t recordingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	r := t.recording
	l, unfit := identify(r.places, req) // before the request is sent, with the body of which that ends
	res, err := t.RoundTripper.RoundTrip(req)
	switch {
	case err != nil:
	case unfit != nil:
		r.counts.foreign.Add(1)
	case l.private && !r.options.Private:
		r.counts.private.Add(1)
	default:
		h := captured{answer: exchange{call: l.call}, secrets: l.secrets}
		h.answer.keep(res.StatusCode, res.Header)
		res.Body = &capturingBody{ReadCloser: res.Body, to: r, heard: h}
	}
	return res, err
}

// capturingBody is the body of an answer, which is handed over when it was read to its
// end.
type capturingBody struct {
	io.ReadCloser
	to    *Recorder
	heard captured
	data  bytes.Buffer
	done  bool // handed over, or given up
}

// Read implements [io.Reader].
func (c *capturingBody) Read(p []byte) (int, error) {
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
func (c *capturingBody) Close() error {
	if !c.done {
		c.giveUp()
	}
	return c.ReadCloser.Close()
}

func (c *capturingBody) giveUp() {
	c.done = true
	c.data = bytes.Buffer{}
	c.to.counts.broken.Add(1)
}
