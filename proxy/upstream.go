package proxy

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/mapping"
)

// userAgent is what the legacy's log shows.
const userAgent = "calfacade"

// upstream calls the legacy. It is the only file that knows the HTTP client.
type upstream struct {
	options   UpstreamOptions
	transport *http.Transport
	client    *resty.Client
	roots     map[string]*upstreamRoot // by URL
	order     []*upstreamRoot

	smallest *outgoing // asks a root whether it is back; nil asks none
	absences *absences
}

// newUpstream makes what calls the REST roots of a backend. Languages may share
// one: then the first names it.
func newUpstream(backend string, o UpstreamOptions, roots []mapping.Root) *upstream {
	o = o.withDefaults()
	u := &upstream{options: o, roots: map[string]*upstreamRoot{}, absences: newAbsences()}
	u.transport = &http.Transport{
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
	u.client = newClient(o.Wrap(o.Access.transport(u.transport)))
	hosts := map[string]*upstreamHost{}
	for _, r := range roots {
		if r.Upstream == "" || u.roots[r.Upstream] != nil {
			continue
		}
		name := hostOf(r.Upstream)
		if hosts[name] == nil {
			hosts[name] = newUpstreamHost(o)
		}
		root := newUpstreamRoot(rootName(backend, r.Language), hosts[name], o)
		u.roots[r.Upstream] = root
		u.order = append(u.order, root)
	}
	return u
}

// rootName is what a root is called in metrics and logs: "es", or "new:es" of a
// backend other than the legacy.
func rootName(backend, language string) string {
	if backend == LegacyName {
		return language
	}
	return backend + ":" + language
}

func hostOf(root string) string {
	u, err := url.Parse(root)
	if err != nil {
		return root
	}
	return u.Host
}

// close ends the connections that wait for a next call, and what goes on in the
// background. Calls under way go on.
func (u *upstream) close() {
	u.absences.close()
	u.transport.CloseIdleConnections()
}

// newClient makes a client without the cookie jar of resty.New, which would put
// one visitor's login on the next one's request, and without resty's retries,
// which send again whatever fails, of any method.
func newClient(transport http.RoundTripper) *resty.Client {
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
	header         http.Header // of the dialect; nil for nothing
	body           []byte
	who            identity
	rank           rank
	secret         bool // holds a password that is no part of who
	edits          bool // reads an item that is to be written
	trace          trace.Tracer
}

// outgoingOf is the call that req is.
func outgoingOf(req mapping.Request, who identity, rank rank) outgoing {
	out := outgoing{method: req.Method, target: req.Path, header: req.Header, body: req.Body, edits: req.Edits, who: who, rank: rank}
	if req.Query != "" {
		out.target += "?" + req.Query
	}
	return out
}

// fields are the header fields of the call, but for those that all calls have.
func (o *outgoing) fields(ctx context.Context) http.Header {
	h := make(http.Header, 8)
	o.who.tell(h)
	if o.trace != nil {
		traceContext.Inject(ctx, propagation.HeaderCarrier(h)) // which span the call is
	}
	for name := range o.header {
		h.Set(name, o.header.Get(name))
	}
	if id := idOf(ctx); id != "" {
		h.Set("X-Request-Id", id)
	}
	if o.body != nil {
		h.Set("Content-Type", "application/json")
	}
	return h
}

// safe reports whether sending the call twice does what sending it once does.
func (o *outgoing) safe() bool { return o.method == http.MethodGet || o.method == http.MethodHead }

// everybodys reports whether any client would get the same answer.
func (o *outgoing) everybodys() bool { return o.who.anonymous() && !o.secret }

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
func (u *upstream) send(ctx context.Context, root string, out *outgoing) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, u.options.Timeout)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	if out.edits {
		ctx = context.WithValue(ctx, editsKey{}, true)
	}
	request := u.client.R().SetContext(ctx)
	request.Header = out.fields(ctx)
	if out.body != nil {
		request.SetBody(out.body)
	}
	response, err := request.Execute(out.method, root+out.target)
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
