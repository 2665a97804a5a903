package upstream

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/go-resty/resty/v2"
)

// Service calls a service that is no backend, such as a cache in front: without retries,
// redirects and cookies. It is safe for concurrent use.
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
	transport := NewTransport(timeout, maxServiceConnections, nil)
	return &Service{transport, newResty(finalResponses{transport}), timeout, maxBody}
}

// Send makes one call. Its errors hold no URL.
func (s *Service) Send(ctx context.Context, method, url string, header http.Header, body []byte) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request := s.resty.R().SetContext(ctx)
	for name, values := range header {
		request.Header[name] = values
	}
	if body != nil {
		request.SetBody(body)
	}
	response, err := request.Execute(method, url)
	if err != nil {
		return Response{}, callError(true, err)
	}
	defer response.RawBody().Close() // whatever it holds beyond the limit is not read
	var data bytes.Buffer
	if _, err := io.Copy(&data, io.LimitReader(response.RawBody(), s.maxBody)); err != nil {
		return Response{}, callError(true, err)
	}
	return Response{Status: response.StatusCode(), Header: response.Header(), Body: data.Bytes()}, nil
}

// Close closes the connections that are not in use.
func (s *Service) Close() { s.transport.CloseIdleConnections() }

// RootStats are the statistics of a REST root. Counts are since the start.
type RootStats struct {
	Root    string        `json:"root"` // see [RootName]; of the first language if several share the root
	State   BreakerState  `json:"state"`
	OpenFor time.Duration `json:"open_for_ns"` // the minimum; 0 unless open

	Outage           Outage `json:"outage"`
	NamespaceMissing bool   `json:"namespace_missing"` // the last calls found no route: the plugin is not active

	Calls    uint64 `json:"calls"`    // attempts that were made
	Failures uint64 `json:"failures"` // of Calls, without a response or with status 5xx
	Retries  uint64 `json:"retries"`  // of Calls
	Refused  uint64 `json:"refused"`  // not made: the breaker was open
	Shed     uint64 `json:"shed"`     // not made: no slot in time

	InFlight int `json:"in_flight"` // now, of all roots on the host
	Queued   int `json:"queued"`    // now, of all roots on the host
}

// Stats returns the state of the roots, in the order in which they were named.
func (u *Caller) Stats() []RootStats {
	var all []RootStats
	for _, r := range u.order {
		state, wait := r.breaker.state()
		inFlight, queued := r.host.bulkhead.load()
		all = append(all, RootStats{
			Root: r.name, State: state, OpenFor: wait, Outage: r.failing(), NamespaceMissing: r.namespaceMissing(),
			Calls: r.calls.Load(), Failures: r.failures.Load(), Retries: r.retries.Load(),
			Refused: r.refused.Load(), Shed: r.shed.Load(),
			InFlight: inFlight, Queued: queued,
		})
	}
	return all
}

// OpenFor returns how long the breaker of a root stays open; 0 if it is not open.
func (u *Caller) OpenFor(root string) time.Duration {
	_, wait := u.roots[root].breaker.state()
	return wait
}

func (u *Caller) observe(to *root, out *Request, n int, took time.Duration, got Response, err error) {
	kind := KindOf(err)
	switch kind {
	case NotOpened:
		to.refused.Add(1)
	case NotQueued:
		to.shed.Add(1)
	default:
		to.calls.Add(1)
		if n > 1 {
			to.retries.Add(1)
		}
		if kind != Canceled && kind != Answered || got.Status >= http.StatusInternalServerError {
			to.failures.Add(1)
		}
	}
	if called := u.options.Observer.Called; called != nil {
		called(Attempt{Root: to.name, Method: out.Method, Attempt: n, Status: got.Status, Failure: kind, Took: took})
	}
}
