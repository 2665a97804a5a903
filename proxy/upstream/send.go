package upstream

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// send makes one attempt of a call and reads the response. Errors wrap [ErrNotSent] if the
// backend certainly received nothing, else [ErrNoAnswer] or errTooBig, and never hold a URL.
func (u *Caller) send(ctx context.Context, to *root, out *Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, u.options.Timeout)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	if out.Edits {
		ctx = context.WithValue(ctx, editsKey{}, true)
	}
	request := to.host.http.resty.R().SetContext(ctx)
	request.Header = u.fields(ctx, out)
	if out.Body != nil {
		request.SetBody(out.Body)
	}
	response, err := request.Execute(out.Method, siteurl.Join(to.url, out.Target))
	if err != nil {
		return Response{}, callError(sent.Load(), err)
	}
	defer response.RawBody().Close() // read completely: a failed close loses nothing
	data, err := u.read(response)
	if err != nil {
		return Response{}, err
	}
	deadline, _ := ctx.Deadline()
	return Response{
		Status: response.StatusCode(), Header: response.Header(), Body: data,
		Deadline: deadline, CertificateEnd: certificateEnd(response.RawResponse.TLS),
	}, nil
}

// fields returns the header fields of one attempt.
func (u *Caller) fields(ctx context.Context, o *Request) http.Header {
	h := make(http.Header, 8)
	maps.Copy(h, o.Header)
	if o.Body != nil {
		h.Set("Content-Type", "application/json")
	}
	if u.options.Tracer != nil {
		tracing.Inject(ctx, h) // each attempt has a span
	}
	return h
}

func certificateEnd(connection *tls.ConnectionState) time.Time {
	if connection == nil || len(connection.PeerCertificates) == 0 {
		return time.Time{}
	}
	return connection.PeerCertificates[0].NotAfter
}

// maxAnnounced is how much memory is allocated for a Content-Length in advance, in bytes. A
// backend that announces a large body and sends nothing gets no more.
const maxAnnounced = 1 << 20

// read reads the body to its end, into a buffer of the announced length.
func (u *Caller) read(response *resty.Response) ([]byte, error) {
	var b bytes.Buffer
	if announced := response.RawResponse.ContentLength; announced > 0 {
		b.Grow(int(min(announced, maxAnnounced, u.options.MaxBody)) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(response.RawBody(), u.options.MaxBody+1))
	switch {
	case int64(b.Len()) > u.options.MaxBody:
		return nil, errTooBig
	case err != nil:
		return nil, callError(true, err)
	}
	return b.Bytes(), nil
}
