package upstream

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
)

// Caller calls a backend. It is safe for concurrent use.
type Caller struct {
	options Options
	hosts   *Hosts
	using   []*host
	roots   map[string]*root // by URL
	order   []*root
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

// Options configure the calls to a backend, and what isolates its failures.
type Options struct {
	Access AccessOptions

	ConnectTimeout   time.Duration // of TCP, and of TLS again; 0 is 5 s
	FirstByteTimeout time.Duration // from the end of the request to the end of the response header; 0 sets no limit besides Timeout
	Timeout          time.Duration // of a call with its retries and what is made of its response, without the time in the queue; 0 is 10 s
	MaxBody          int64         // bytes of a decompressed response; 0 is 32 MiB

	MaxConcurrent int           // calls in flight to one host; 0 is 64
	MaxQueue      int           // calls that wait for a slot; 0 disables the queue
	QueueTimeout  time.Duration // maximum time in the queue; 0 is 1 s
	ClientShare   int           // percent of MaxConcurrent and MaxQueue that one client may have; 0 is 75

	Retries      int // of one read; 0 disables retries
	RetryPercent int // retries for each 100 calls to a host; 0 is 20

	Breaker       BreakerOptions
	MaxRetryAfter time.Duration // maximum of a Retry-After that is honoured; 0 ignores Retry-After

	// Wrap returns a transport that replaces next; nil keeps next. It sees each attempt, and
	// responses decompressed. Package recording has such transports.
	Wrap func(next http.RoundTripper) http.RoundTripper

	// HealthCheck is sent to a root to see whether it has recovered before its Retry-After;
	// nil disables that.
	HealthCheck *Request

	Observer Observer
	Tracer   trace.Tracer // records a span for each attempt; nil records none
	Log      *zap.Logger  // changes of the breakers; nil logs nothing
}

// Observer has functions that are called for each attempt and each change of a breaker. They
// may be nil, are called during calls and concurrently, and must not block. Changed must not
// call [Caller.Stats] either.
type Observer struct {
	Called  func(Attempt)                            // an attempt ended, or was not made
	Changed func(root string, from, to BreakerState) // a breaker changed its state
}

// Attempt is one attempt of a call to a backend.
type Attempt struct {
	Root    string // see [RootName]
	Method  string
	Attempt int           // from 1
	Status  int           // 0 without a response
	Failure FailureKind   // "" with a response
	Took    time.Duration // with the time in the queue
}

func (o Options) withDefaults() Options {
	for d, otherwise := range map[*time.Duration]time.Duration{
		&o.ConnectTimeout: 5 * time.Second, &o.Timeout: 10 * time.Second, &o.QueueTimeout: time.Second,
		&o.Breaker.Window: 10 * time.Second, &o.Breaker.Open: 5 * time.Second,
	} {
		if *d == 0 {
			*d = otherwise
		}
	}
	for n, otherwise := range map[*int]int{
		&o.MaxConcurrent: 64, &o.ClientShare: 75, &o.RetryPercent: 20, &o.Breaker.Calls: 10, &o.Breaker.Probes: 3,
	} {
		if *n == 0 {
			*n = otherwise
		}
	}
	if o.MaxBody == 0 {
		o.MaxBody = 32 << 20
	}
	if o.Wrap == nil {
		o.Wrap = func(next http.RoundTripper) http.RoundTripper { return next }
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

// Root is a REST root of a backend.
type Root struct {
	Name string // in metrics and logs
	URL  string // "" has no root
}

// root is the state of one REST root of a backend.
type root struct {
	name    string // as [RootName]
	url     string
	host    *host
	breaker *breaker

	paddingLog rate.Sometimes

	outage atomic.Pointer[Outage] // nil: the last call succeeded

	noRoutes      atomic.Int64 // consecutive responses with noRoute
	missingLog    rate.Sometimes
	missingLogged atomic.Bool // since the namespace was last there

	checked bool // health checks are running; guarded by recoveries.mu

	calls, failures, retries, refused, shed atomic.Uint64
}

// paddingLogEvery is how often the log has a record of padding, for each root.
const paddingLogEvery = time.Hour

// missingLogEvery is how often the log has a record of a missing namespace, for each root.
const missingLogEvery = time.Minute

func newRoot(name, url string, host *host, o Options) *root {
	r := &root{name: name, url: url, host: host}
	r.breaker = newBreaker(o.Breaker, func(from, to BreakerState) {
		fields := []zap.Field{zap.String("root", name), zap.String("from", string(from)), zap.String("to", string(to))}
		switch { // a probe that fails is part of the outage
		case from == Closed:
			o.Log.Warn("breaker", append(fields, zap.String("cause", r.failing().Cause))...)
		case to == Closed:
			o.Log.Info("breaker", fields...)
		}
		if o.Observer.Changed != nil {
			o.Observer.Changed(name, from, to)
		}
	})
	r.paddingLog.Interval, r.missingLog.Interval = paddingLogEvery, missingLogEvery
	return r
}

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
	Method, Target string      // path and query below the root
	Header         http.Header // in addition to those of all calls
	Body           []byte      // JSON; nil sends none
	Class          Class
	Anonymous      bool // every client would get the same response
	Edits          bool // reads an item that is to be written
	Slug           bool // Target has a slug, which is any text: the backend may have no route for it
}

// RequestOf returns the anonymous request that a backend's dialect translated a call into.
func RequestOf(r mapping.Request, class Class) Request {
	out := Request{
		Method: r.Method, Target: r.Path, Header: make(http.Header, 8), Body: r.Body,
		Class: class, Anonymous: true, Edits: r.Edits, Slug: r.Slug,
	}
	if r.Query != "" {
		out.Target += "?" + r.Query
	}
	for name := range r.Header {
		out.Header.Set(name, r.Header.Get(name))
	}
	return out
}

// safe reports whether sending the call twice does what sending it once does.
func (o *Request) safe() bool { return o.Method == http.MethodGet }

// editsKey marks the context of a call that reads an item to be written.
type editsKey struct{}

// Edits reports whether the call with this context reads an item before it is written. The
// site sees no difference; a recording distinguishes the two.
func Edits(ctx context.Context) bool {
	edits, _ := ctx.Value(editsKey{}).(bool)
	return edits
}

// ClientKey is the key of the client in the context of a call: the address that the call
// is made for, or of IPv6 its network of 64 bits. Without a value it is the program itself,
// with refreshes and what commands read.
type ClientKey struct{}

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
