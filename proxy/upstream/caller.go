package upstream

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// userAgent is the User-Agent of all calls.
const userAgent = "calfacade"

// Caller calls a backend. It is safe for concurrent use.
type Caller struct {
	options Options
	hosts   *Hosts
	using   []*host
	roots   map[string]*root // by URL
	order   []*root
}

// Root is a REST root of a backend.
type Root struct {
	Name string // in metrics and logs
	URL  string // "" has no root
}

// New returns a client of the REST roots of a backend. Roots may have the same
// URL: the first names it.
func New(backend string, o Options, roots []Root, hosts *Hosts) *Caller {
	o = o.withDefaults()
	u := &Caller{options: o, hosts: hosts, roots: map[string]*root{}}
	for _, r := range roots {
		if r.URL == "" || u.roots[r.URL] != nil {
			continue
		}
		root := hosts.root(u.host(backend, hostOf(r.URL)), r.Name, r.URL, o)
		u.roots[r.URL] = root
		u.order = append(u.order, root)
	}
	return u
}

// host returns the client of a host.
func (u *Caller) host(backend, name string) *host {
	for _, h := range u.using {
		if h.name == name {
			return h
		}
	}
	h := u.hosts.acquire(backend, name, u.options)
	u.using = append(u.using, h)
	return h
}

func hostOf(root string) string {
	u, err := url.Parse(root)
	if err != nil {
		return root
	}
	return u.Host
}

// Close releases the clients of hosts. Calls in flight continue.
func (u *Caller) Close() {
	for _, h := range u.using {
		u.hosts.release(h)
	}
}

// httpClient makes requests to one host.
type httpClient struct {
	transport *http.Transport
	resty     *resty.Client
}

func newHTTPClient(o Options) httpClient {
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    o.ConnectTimeout,
		ResponseHeaderTimeout:  o.FirstByteTimeout,
		MaxConnsPerHost:        o.MaxConcurrent,
		MaxIdleConns:           2 * o.MaxConcurrent,
		MaxIdleConnsPerHost:    o.MaxConcurrent, // the default of 2 makes a new connection for nearly every call
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        o.Access.tls(),
	}
	return httpClient{transport, newResty(o.Wrap(o.Access.transport(finalResponses{transport})))}
}

// newResty returns a client without the cookie jar of resty.New, which would send the login of
// one visitor with the request of the next, and without resty's retries, which repeat failed
// requests of any method.
func newResty(transport http.RoundTripper) *resty.Client {
	return resty.NewWithClient(&http.Client{Transport: transport}).
		SetRedirectPolicy(resty.RedirectPolicyFunc(func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		})).
		SetDoNotParseResponse(true).
		SetHeader("User-Agent", userAgent).
		SetHeader("Accept", "application/json").
		SetLogger(silent{}) // resty logs URLs, and with them the passwords in them
}

type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

// editsKey marks the context of a call that reads an item to be written.
type editsKey struct{}

// Edits reports whether the call with this context reads an item before it is written. The
// site sees no difference; a recording distinguishes the two.
func Edits(ctx context.Context) bool {
	edits, _ := ctx.Value(editsKey{}).(bool)
	return edits
}

// Request is a call to a backend.
type Request struct {
	Method, Target string      // path and query below the root
	Header         http.Header // in addition to those of all calls
	Body           []byte      // JSON; nil sends none
	Class          Class
	Anonymous      bool // every client would get the same response
	Edits          bool // reads an item that is to be written
}

// RequestOf returns the anonymous request that a backend's dialect translated a call into.
func RequestOf(r mapping.Request, class Class) Request {
	out := Request{
		Method: r.Method, Target: r.Path, Header: make(http.Header, 8), Body: r.Body,
		Class: class, Anonymous: true, Edits: r.Edits,
	}
	if r.Query != "" {
		out.Target += "?" + r.Query
	}
	for name := range r.Header {
		out.Header.Set(name, r.Header.Get(name))
	}
	return out
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

// safe reports whether sending the call twice does what sending it once does.
func (o *Request) safe() bool { return o.Method == http.MethodGet }

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
	return Response{Status: response.StatusCode(), Header: response.Header(), Body: data, CertificateEnd: certificateEnd(response.RawResponse.TLS)}, nil
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
	if _, err := b.ReadFrom(io.LimitReader(response.RawBody(), u.options.MaxBody+1)); err != nil {
		return nil, callError(true, err)
	}
	if int64(b.Len()) > u.options.MaxBody {
		return nil, errTooBig
	}
	return b.Bytes(), nil
}
