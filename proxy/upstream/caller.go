package upstream

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-resty/resty/v2"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
)

// Caller calls a backend. It is safe for concurrent use.
type Caller struct {
	options Options
	hosts   *Hosts
	roots   []*rootState
}

// New returns a client of the REST roots of a backend. Roots may have the same
// URL: the first names it.
func New(backend string, o Options, roots []Root, hosts *Hosts) *Caller {
	u := &Caller{options: o.withDefaults(), hosts: hosts}
	for _, r := range roots {
		if r.URL != "" && u.root(r.URL) == nil {
			u.roots = append(u.roots, hosts.acquire(backend, r, u.options))
		}
	}
	return u
}

// root returns the state of the root with a URL; nil without such a root.
func (u *Caller) root(url string) *rootState {
	for _, r := range u.roots {
		if r.URL == url {
			return r
		}
	}
	return nil
}

// Close releases the clients of hosts. Calls in flight continue.
func (u *Caller) Close() {
	for _, r := range u.roots {
		u.hosts.release(r.host)
	}
}

// Options configure the calls to a backend, and what isolates its failures.
type Options struct {
	Access AccessOptions

	ConnectTimeout time.Duration // of TCP, and of TLS again; 0 is 5 s
	HeaderTimeout  time.Duration // from the end of the request to the end of the response header; 0 sets no limit besides Timeout
	Timeout        time.Duration // of a call with retries and the rewriting, without the time in the queue; 0 is [DefaultTimeout]
	MaxBody        int64         // bytes of a decompressed response; 0 is [DefaultMaxBody]

	MaxConcurrent int           // calls in flight to one host; 0 is [DefaultConcurrent]
	MaxQueue      int           // calls that wait for a slot; 0 disables the queue
	QueueTimeout  time.Duration // maximum time in the queue; 0 is [DefaultQueueTimeout]

	Retries int // of one read; 0 disables retries

	Breaker       BreakerOptions
	MaxRetryAfter time.Duration // maximum of a Retry-After that is honoured; 0 ignores Retry-After

	// Wrap returns a transport that replaces next; nil keeps next. It sees each attempt, and
	// responses decompressed. Package recording has such transports.
	Wrap func(next http.RoundTripper) http.RoundTripper

	// Called is called after each attempt, made or not; nil disables it. It is called concurrently, and must
	// not block.
	Called func(Attempt)

	Tracer trace.Tracer // records a span for each attempt; nil disables tracing
	Log    *zap.Logger  // changes of the breakers; nil logs nothing
}

// Attempt is one attempt of a call to a backend.
type Attempt struct {
	Root    string        // see [RootName]
	Status  int           // 0 without a response
	Failure FailureKind   // "" with a response
	Took    time.Duration // with the time in the queue
}

// DefaultMaxBody is the default of [Options.MaxBody], in bytes: the widest page of a list has a fourth.
const DefaultMaxBody = 32 << 20

// The defaults of [Options.Timeout] and [Options.MaxConcurrent], which the configuration has too.
const (
	DefaultTimeout    = 10 * time.Second
	DefaultConcurrent = 16
)

// DefaultQueueTimeout is the default of [Options.QueueTimeout].
const DefaultQueueTimeout = time.Second

func (o Options) withDefaults() Options {
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 5*time.Second)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.MaxBody = cmp.Or(o.MaxBody, DefaultMaxBody)
	o.MaxConcurrent = cmp.Or(o.MaxConcurrent, DefaultConcurrent)
	o.QueueTimeout = cmp.Or(o.QueueTimeout, DefaultQueueTimeout)
	o.Breaker.Open = cmp.Or(o.Breaker.Open, 5*time.Second)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

// Timeout returns the time of a call with its retries, without the time in the queue.
func (u *Caller) Timeout() time.Duration { return u.options.Timeout }

// Class is the priority of a call: calls of a lower class are refused first.
type Class int

// The classes.
const (
	Refresh Class = iota // a stale response is served meanwhile
	Read                 // of a key that may never have been served
	Known                // a read of a key that was served before
	Write                // a person waits, and would have to type again
)

// Request is a call to a backend.
type Request struct {
	mapping.Request // Header is in addition to the fields of all calls
	Class           Class
	Anonymous       bool // every client would get the same response
}

// ClientKey is the key of the client in the context of a call: the address that the call
// is made for, or of IPv6 its network of 64 bits. Without a value it is the program itself,
// with refreshes and what commands read.
type ClientKey struct{}

// ClientOf returns the value of [ClientKey]; the zero address is the program itself.
func ClientOf(ctx context.Context) netip.Addr {
	client, _ := ctx.Value(ClientKey{}).(netip.Addr)
	return client
}

// LegacyName names the legacy among the backends. No other backend has this name.
const LegacyName = "legacy"

// RootName returns the name of a REST root in metrics and logs: the code of its language,
// as "es", or "new:es" of a backend other than the legacy.
func RootName(backend, language string) string {
	if backend == LegacyName {
		return language
	}
	return backend + ":" + language
}

// Service calls a service that is no backend, such as a cache in front, or reads pages of a site: without
// retries, redirects and cookies. It is safe for concurrent use.
type Service struct {
	transport *Transport
	resty     *resty.Client
	timeout   time.Duration
	maxBody   int64
}

// maxServiceConnections is the maximum of connections to a service that have calls.
const maxServiceConnections = 4

// NewService returns the client of a service. timeout limits one call, and maxBody is how
// many bytes of a response are read.
func NewService(timeout time.Duration, maxBody int64) *Service {
	return NewSiteService(timeout, maxBody, AccessOptions{})
}

// NewSiteService returns a client for the pages of a site. The caller makes sure that the site alone gets
// calls: each has the credentials of access.
func NewSiteService(timeout time.Duration, maxBody int64, access AccessOptions) *Service {
	transport := NewTransport(timeout, maxServiceConnections, access.tls())
	transport.access = access
	return &Service{transport: transport, resty: newResty(transport), timeout: timeout, maxBody: maxBody}
}

// Send makes one call. Its errors hold no URL.
func (s *Service) Send(ctx context.Context, method, url string, header http.Header, body []byte) (Response, error) {
	response, err := fetch(ctx, s.resty, method, url, header, body, s.timeout, s.maxBody)
	if errors.Is(err, errTooBig) {
		err = nil // the rest is not read
	}
	return response, err
}

// Close closes the connections that are not in use.
func (s *Service) Close() { s.transport.CloseIdleConnections() }
