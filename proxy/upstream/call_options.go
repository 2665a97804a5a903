package upstream

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"go.opentelemetry.io/otel/trace"
)

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
