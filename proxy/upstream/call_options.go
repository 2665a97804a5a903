package upstream

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"go.opentelemetry.io/otel/trace"
)

// Options say how the legacy is called, and what keeps its faults from
// spreading.
type Options struct {
	Access AccessOptions

	ConnectTimeout   time.Duration // of TCP, and of TLS again; 0 is 5 s
	FirstByteTimeout time.Duration // from the end of the request to the end of the answer's header; 0 is Timeout's alone
	Timeout          time.Duration // of a call, retries among it, but not of the queue; 0 is 10 s
	MaxBody          int64         // bytes of an answer once decompressed; 0 is 32 MiB

	MaxConcurrent int           // calls under way to one host; 0 is 64
	MaxQueue      int           // calls that wait for one of these to end; 0 is none
	QueueTimeout  time.Duration // of that waiting; 0 is 1 s
	ClientShare   int           // percent of MaxConcurrent and MaxQueue that one client may have; 0 is 75

	Retries      int // of one read; 0 is none
	RetryPercent int // retries for each 100 calls to a host; 0 is 20

	Breaker       BreakerOptions
	MaxRetryAfter time.Duration // how much of the legacy's Retry-After is kept to; 0 is nothing

	// Wrap puts something between the calls and the network; nil puts nothing there.
	// It sees an answer decompressed, and each attempt. See [Recording] and [Replay].
	Wrap func(http.RoundTripper) http.RoundTripper

	// HealthCheck asks a root whether it is back before its Retry-After; nil asks none.
	HealthCheck *Request

	Observer Observer
	Tracer   trace.Tracer // records a span for each attempt; nil records none
	Log      *zap.Logger  // changes of the breakers; nil logs nothing
}

// BreakerOptions say when a REST root of the legacy is left alone.
type BreakerOptions struct {
	Percent int           // of the calls in Window that failed; 0: only Retry-After opens
	Calls   int           // in Window, before the percentage counts; 0 is 10
	Window  time.Duration // 0 is 10 s
	Open    time.Duration // until calls are tried again; 0 is 5 s
	Probes  int           // calls tried then, all of which must succeed; 0 is 3
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
