package upstream

import (
	"net/http"

	"github.com/go-resty/resty/v2"
)

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
