package upstream

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
)

// maxConnectionAge is the age at which a connection gets no more calls. A peer that has moved in
// DNS is found at its new address, although its old server still responds.
const maxConnectionAge = time.Minute

// pingTimeout is the silence of an HTTP/2 connection before it is pinged, and the time for the
// response to the ping, before the connection is closed. Both together are less than a call may
// take by default: a read that waits for a dead connection is repeated on another.
const pingTimeout = 2 * time.Second

// maxResponseHeader is in bytes. net/http has a larger limit, since beyond its limit some errors
// do not name the cause.
const maxResponseHeader = 64 << 10

// Transport makes the calls to a peer. Its connections have a maximum age, and a dead one is noticed.
type Transport struct {
	base *http.Transport // has no connections

	mu      sync.Mutex
	current *http.Transport // nil before the first call
	expires time.Time       // of current
}

// NewTransport returns a transport with timeouts of a TCP connection, and of TLS again, and with
// a maximum of connections that have calls. A nil security is the default of [http.Transport].
func NewTransport(timeout time.Duration, connections int, security *tls.Config) *Transport {
	return &Transport{base: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    timeout,
		MaxConnsPerHost:        connections,
		MaxIdleConnsPerHost:    connections, // the default of 2 makes a new connection for nearly every call
		IdleConnTimeout:        maxConnectionAge,
		MaxResponseHeaderBytes: 4 * maxResponseHeader,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingTimeout, PingTimeout: pingTimeout},
		TLSClientConfig:        security,
	}}
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.young().RoundTrip(r)
	if err == nil && sizeOf(response.Header) > maxResponseHeader {
		_ = response.Body.Close() // it is not used
		return nil, errHeader
	}
	return response, err
}

func sizeOf(h http.Header) (bytes int) {
	for name, values := range h {
		for _, value := range values {
			bytes += len(name) + len(value) + len(": \r\n")
		}
	}
	return bytes
}

// young returns a transport whose connections may get a call. It replaces the whole transport, since
// net/http keeps an HTTP/2 connection for as long as it has calls.
func (t *Transport) young() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); t.current == nil || now.After(t.expires) {
		if t.current != nil {
			go t.current.CloseIdleConnections() // it may wait for a dead peer
		}
		t.current, t.expires = t.base.Clone(), now.Add(maxConnectionAge)
	}
	return t.current
}

// CloseIdleConnections closes connections without calls. Later calls have new connections.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	old := t.current
	t.current = nil
	t.mu.Unlock()
	if old != nil {
		old.CloseIdleConnections()
	}
}

// userAgent is the User-Agent of all calls.
const userAgent = "calfacade"

// httpClient makes requests to one host.
type httpClient struct {
	transport *Transport
	resty     *resty.Client
}

func newHTTPClient(o Options) httpClient {
	transport := NewTransport(o.ConnectTimeout, o.MaxConcurrent, o.Access.tls())
	transport.base.ResponseHeaderTimeout = o.FirstByteTimeout
	return httpClient{transport, newResty(o.Wrap(o.Access.transport(decodedBodies{finalResponses{transport}, o.MaxBody})))}
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

func (silent) Warnf(string, ...any) {}

func (silent) Debugf(string, ...any) {}

// finalResponses makes a final response of a 101, which no call requests. The body of a 101 is
// the connection, which net/http neither closes nor limits by the context of the request.
type finalResponses struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t finalResponses) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		return response, err
	}
	_ = response.Body.Close() // it is not used
	response.Body, response.ContentLength = http.NoBody, 0
	return response, nil
}

// Hosts are the clients of the hosts that facades call, with the limits of the calls to
// each and the state of its roots. Facades that share them, as the facades of one
// configuration after another do, share the client of a host while its options are the
// same: then an open breaker stays open, and both together keep within the limits. The
// zero value is ready for use. It is safe for concurrent use.
//
// A client keeps the functions in the options of the first facade. The functions of all
// facades must do the same.
type Hosts struct {
	mu   sync.Mutex
	open []*host
}

// host has what the roots on one host share: one machine may be overloaded.
type host struct {
	backend, name string
	options       Options // of the client
	http          httpClient
	bulkhead      *bulkhead
	budget        *budget
	recoveries    *recoveries

	// Guarded by Hosts.mu.
	users int
	roots []*root
}

func newHost(backend, name string, o Options) *host {
	return &host{
		backend: backend, name: name, options: o.ofClient(), http: newHTTPClient(o),
		bulkhead:   newBulkhead(queueLimits{Slots: o.MaxConcurrent, Queue: o.MaxQueue, Share: o.ClientShare}, o.QueueTimeout),
		budget:     newBudget(o.RetryPercent),
		recoveries: newRecoveries(),
	}
}

// ofClient returns the options that a client depends on: not those that are read for each
// call, nor those that only observe.
func (o Options) ofClient() Options {
	o.Timeout, o.Retries, o.MaxRetryAfter = 0, 0, 0
	o.Wrap, o.HealthCheck, o.Observer, o.Tracer, o.Log = nil, nil, Observer{}, nil, nil
	return o
}

// fits reports whether a client for a host would be the same as h.
func (h *host) fits(backend, name string, o Options) bool {
	had, want := h.options, o.ofClient()
	sameCAs := had.Access.CAs.Equal(want.Access.CAs) // which reflect cannot compare
	had.Access.CAs, want.Access.CAs = nil, nil
	return h.backend == backend && h.name == name && sameCAs && reflect.DeepEqual(had, want)
}

// acquire returns the client of a host of a backend. The caller releases it.
func (s *Hosts) acquire(backend, name string, o Options) *host {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.open, func(h *host) bool { return h.fits(backend, name, o) })
	if i < 0 {
		i, s.open = len(s.open), append(s.open, newHost(backend, name, o))
	}
	s.open[i].users++
	return s.open[i]
}

// root returns the state of a root on h, which the caller has acquired.
func (s *Hosts) root(h *host, name, url string, o Options) *root {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range h.roots {
		if r.name == name && r.url == url {
			return r
		}
	}
	r := newRoot(name, url, h, o)
	h.roots = append(h.roots, r)
	return r
}

// release stops the health checks and closes idle connections when the last user of the client
// releases it. Calls in flight continue.
func (s *Hosts) release(h *host) {
	if s.leave(h) {
		h.recoveries.close()
		h.http.transport.CloseIdleConnections()
	}
}

// leave reports whether the user was the last.
func (s *Hosts) leave(h *host) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.users--; h.users > 0 {
		return false
	}
	s.open = slices.DeleteFunc(s.open, func(o *host) bool { return o == h })
	return true
}

// Renew makes later calls to all hosts on new connections.
func (s *Hosts) Renew() {
	s.mu.Lock()
	open := slices.Clone(s.open)
	s.mu.Unlock()
	for _, h := range open {
		h.http.transport.CloseIdleConnections()
	}
}

// recoveries checks the health of the roots of a host: of each by one call at a time, also for
// later facades that share the host.
type recoveries struct {
	ctx    context.Context // of the calls; canceled by close
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newRecoveries() *recoveries {
	a := new(recoveries)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// close cancels the checks and waits for their end.
func (a *recoveries) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.running.Wait()
}
