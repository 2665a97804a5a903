package upstream

import (
	"context"
	"errors"
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
	return &Service{transport, newResty(transport), timeout, maxBody}
}

// Send makes one call. Its errors hold no URL.
func (s *Service) Send(ctx context.Context, method, url string, header http.Header, body []byte) (Response, error) {
	got, err := fetch(ctx, s.resty, method, url, header, body, s.timeout, s.maxBody)
	if errors.Is(err, errTooBig) {
		err = nil // the rest is not read
	}
	return got, err
}

// Close closes the connections that are not in use.
func (s *Service) Close() { s.transport.CloseIdleConnections() }
