package upstream

import (
	"net"
	"net/http"
	"time"

	"github.com/go-resty/resty/v2"
)

// userAgent is the User-Agent of all calls.
const userAgent = "calfacade"

// httpClient makes requests to one host.
type httpClient struct {
	transport *http.Transport
	resty     *resty.Client
}

func newHTTPClient(o Options) httpClient {
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
	return httpClient{transport, newResty(o.Wrap(o.Access.transport(finalResponses{transport})))}
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
