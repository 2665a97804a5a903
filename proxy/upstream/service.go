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

// NewService returns the client of a service. timeout is that of one call, and maxBody is how
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
