package proxy

import (
	"bytes"
	"context"
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
	"github.com/calfacade/calfacade/proxy/tracing"
)

// userAgent is what the legacy's log shows.
const userAgent = "calfacade"

// upstream calls a backend. It is the only file that knows the HTTP client.
type upstream struct {
	options UpstreamOptions
	hosts   *Hosts
	using   []*upstreamHost
	roots   map[string]*upstreamRoot // by URL
	order   []*upstreamRoot

	smallest *outgoing // asks a root whether it is back; nil asks none
}

// Root is a REST root of a backend.
type Root struct {
	Name string // in metrics and logs
	URL  string // "" has no root
}

// newUpstream returns a client of the REST roots of a backend. Roots may have the same
// URL: the first names it.
func newUpstream(backend string, o UpstreamOptions, roots []Root, hosts *Hosts) *upstream {
	o = o.withDefaults()
	u := &upstream{options: o, hosts: hosts, roots: map[string]*upstreamRoot{}}
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
func (u *upstream) host(backend, name string) *upstreamHost {
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

// close gives the clients back. Calls under way go on.
func (u *upstream) close() {
	for _, h := range u.using {
		u.hosts.release(h)
	}
}

// caller makes requests to one host.
type caller struct {
	transport *http.Transport
	resty     *resty.Client
}

func newCaller(o UpstreamOptions) caller {
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
	return caller{transport, newResty(o.Wrap(o.Access.transport(finalAnswers{transport})))}
}

// newResty makes a client without the cookie jar of resty.New, which would put
// one visitor's login on the next one's request, and without resty's retries,
// which send again whatever fails, of any method.
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

// editsKey marks the context of a call that reads an item to be written. To the site it
// is like any other read; a recording keeps both.
type editsKey struct{}

// outgoing is a call to the legacy.
type outgoing struct {
	method, target string      // the target with its query, below the root
	header         http.Header // beside those that all calls have
	body           []byte      // JSON; nil sends none
	rank           rank
	anonymous      bool // any client would get the same answer
	edits          bool // reads an item that is to be written
}

// fields returns the header fields of one attempt.
func (u *upstream) fields(ctx context.Context, o *outgoing) http.Header {
	h := make(http.Header, 8)
	maps.Copy(h, o.header)
	if o.body != nil {
		h.Set("Content-Type", "application/json")
	}
	if u.options.Tracer != nil {
		tracing.Inject(ctx, h) // each attempt has a span
	}
	return h
}

// safe reports whether sending the call twice does what sending it once does.
func (o *outgoing) safe() bool { return o.method == http.MethodGet }

// reply is what the legacy answered, whole.
type reply struct {
	status  int
	header  http.Header
	body    []byte
	surplus int // bytes around the body's JSON, which were left out
}

// send makes one attempt of a call and reads the answer. Errors wrap errNotSent
// if the legacy certainly saw nothing of it, else errNoAnswer or errTooBig, and
// never hold a URL.
func (u *upstream) send(ctx context.Context, to *upstreamRoot, out *outgoing) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, u.options.Timeout)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	if out.edits {
		ctx = context.WithValue(ctx, editsKey{}, true)
	}
	request := to.host.caller.resty.R().SetContext(ctx)
	request.Header = u.fields(ctx, out)
	if out.body != nil {
		request.SetBody(out.body)
	}
	response, err := request.Execute(out.method, mapping.RESTURL(to.url, out.target))
	if err != nil {
		return reply{}, callError(sent.Load(), err)
	}
	defer response.RawBody().Close() // nothing was read from it that a failed close could lose
	data, err := u.read(response)
	if err != nil {
		return reply{}, err
	}
	return reply{status: response.StatusCode(), header: response.Header(), body: data}, nil
}

// maxAnnounced is how much memory an announced length is believed for, in bytes.
// Whoever announces much and sends nothing would have it all otherwise.
const maxAnnounced = 1 << 20

// read reads the body to its end, into memory of the length that is announced.
func (u *upstream) read(response *resty.Response) ([]byte, error) {
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
