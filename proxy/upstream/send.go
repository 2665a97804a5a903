package upstream

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
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

// Response is the complete response of a backend.
type Response struct {
	Status  int
	Header  http.Header
	Body    []byte
	Padding int // bytes around the body's JSON that were removed

	Deadline       time.Time // of the call, what is made of its response included
	CertificateEnd time.Time // of the server's certificate; zero without TLS
}

// Undecoded returns the content codings of the body, as the backend names them, if they are not
// all known; "" if the body is JSON all the same: some sites name a charset there.
func (r Response) Undecoded() string {
	codings := strings.Join(r.Header.Values(contentEncoding), ", ")
	if codings == "" || jsonscan.IsValid(r.Body) {
		return ""
	}
	return codings
}

// RetryAfter reads Retry-After, seconds or a date; 0 if there is none. A date is compared
// with the Date of the same response, because it is from the same clock.
func RetryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), maxRetryAfter)) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(until.Sub(now), 0), maxRetryAfter*time.Second)
}

// maxRetryAfter caps a Retry-After, in seconds: a day.
const maxRetryAfter = 24 * 60 * 60

// RedirectTarget returns the URL that a redirect leads to, without its query, which may
// hold a secret.
func RedirectTarget(h http.Header) string { return BareURL(h.Get("Location")) }

// BareURL removes user, query and fragment from a URL.
func BareURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "a URL that cannot be read"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

const contentEncoding = "Content-Encoding"

// maxCodings is how many codings of one body are decoded. A plugin and a server before it that both
// compress make two.
const maxCodings = 3

// decodedBodies is a transport that asks for gzip and decodes it. By itself net/http decodes one gzip,
// by one of its names.
type decodedBodies struct {
	next http.RoundTripper
	max  int64 // bytes of a body after each of its codings is removed
}

// RoundTrip implements [http.RoundTripper].
func (t decodedBodies) RoundTrip(in *http.Request) (*http.Response, error) {
	out := in.Clone(in.Context())
	out.Header.Set("Accept-Encoding", "gzip") // net/http then leaves the response as it came
	response, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	n, known := codingsOf(response.Header)
	if !known {
		return response, nil // see [Response.Undecoded]
	}
	for range n {
		response.Body = &gzipBody{from: response.Body, left: t.max}
	}
	if n > 0 {
		response.Header.Del("Content-Length")
		response.ContentLength, response.Uncompressed = -1, true
	}
	response.Header.Del(contentEncoding)
	return response, nil
}

// codingsOf returns how many times a body is compressed by gzip, and whether it has no other coding.
func codingsOf(h http.Header) (n int, known bool) {
	for coding := range strings.SplitSeq(strings.Join(h.Values(contentEncoding), ","), ",") {
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "", "identity":
		case "gzip", "x-gzip": // RFC 9110, 8.4.1.3
			n++
		default:
			return 0, false
		}
	}
	return n, n <= maxCodings
}

// gzipBody decodes a body while it is read. An empty one stays empty: a response without a body
// may name a coding.
type gzipBody struct {
	from io.ReadCloser
	left int64 // bytes that it may have
	z    *gzip.Reader
	err  error // of all further reads
}

// gzipReaders are pooled because each has some forty kilobytes.
var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

// Read implements [io.Reader].
func (b *gzipBody) Read(p []byte) (n int, err error) {
	if b.err == nil && b.z == nil {
		b.z = gzipReaders.Get().(*gzip.Reader)
		b.err = b.z.Reset(b.from)
	}
	if b.err == nil {
		n, b.err = b.z.Read(p)
		if b.left -= int64(n); b.left < 0 {
			b.err = errTooBig
		}
	}
	if b.err != nil && b.z != nil {
		gzipReaders.Put(b.z)
		b.z = nil
	}
	return n, b.err
}

// Close implements [io.Closer].
func (b *gzipBody) Close() error { return b.from.Close() }

// removePadding removes the text around the JSON document of a response. It requires the
// Content-Type of JSON: a page may contain a document that is not the response, and PHP that
// sent a notice before its header could not set the status either.
func (u *Caller) removePadding(to *root, got *Response) {
	if !strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
		return
	}
	document, ok := jsonscan.Document(got.Body)
	if !ok || len(document) == len(got.Body) {
		return
	}
	got.Padding, got.Body = len(got.Body)-len(document), document
	to.paddingLog.Do(func() {
		u.options.Log.Warn("removed text around the JSON of a response: PHP notices, or a byte order mark in a file of a plugin or theme",
			zap.String("root", to.name), zap.Int("bytes", got.Padding), zap.Duration("logged_again_after", paddingLogEvery))
	})
}

// noRoute is the code of WordPress for a path that no plugin has registered.
const noRoute = "rest_no_route"

// missingAfter is the number of consecutive responses with noRoute after which the namespace
// counts as missing. One alone could be a path that this version of the plugin does not have.
const missingAfter = 3

// watchNamespace notices that the site answers, but without its plugin: every call is a 404
// then, which counts as no failure. A call with a slug proves nothing, since clients choose it,
// and WordPress has no route for some (recording odd-by-slug-5). It has one for any id.
func (u *Caller) watchNamespace(to *root, out *Request, got Response) {
	switch {
	case got.Status == http.StatusNotFound && mapping.CodeOf(got.Body) == noRoute:
		if out.Slug {
			return
		}
		if to.noRoutes.Add(1) < missingAfter {
			return
		}
		to.missingLog.Do(func() {
			to.missingLogged.Store(true)
			u.options.Log.Warn("the site has no route for any call: is its calendar plugin active?", zap.String("root", to.name))
		})
	case showsRoute(got.Status) && to.noRoutes.Load() > 0:
		to.noRoutes.Store(0)
		if to.missingLogged.Swap(false) {
			u.options.Log.Info("the site has its routes again", zap.String("root", to.name))
		}
	}
}

// showsRoute reports whether a status shows that the site has a route. It refuses credentials and
// clients, and redirects, before it looks for one.
func showsRoute(status int) bool {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return false
	case status >= 300 && status < 400:
		return false
	}
	return status > 0 && status < http.StatusInternalServerError
}

// namespaceMissing reports whether the last calls found no route.
func (r *root) namespaceMissing() bool { return r.noRoutes.Load() >= missingAfter }
