package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/calfacade/calfacade/mapping"
)

// UpstreamOptions say how the legacy is called.
type UpstreamOptions struct {
	Namespace     string        // "tribe/events/v1"
	LanguageParam string        // "wpml_language"; "" where the site has none
	Timeout       time.Duration // of one call, retries among it; 0 is 10 s
	MaxBody       int64         // bytes of an answer once decompressed; 0 is 32 MiB
	MaxConcurrent int           // connections to one host; 0 is 64
	Retries       int           // of GET and HEAD; 0 is none
	SiteAliases   []string      // other spellings of the site in its links
}

// userAgent is what the legacy's log shows.
const userAgent = "calfacade"

// upstream calls the legacy. It is the only file that knows the HTTP client.
type upstream struct {
	// Reads and writes have clients of their own because resty retries whatever
	// fails to be sent, of any method, once a client may retry at all.
	reads, writes *resty.Client
	timeout       time.Duration
	maxBody       int64
}

func newUpstream(o UpstreamOptions) *upstream {
	u := &upstream{timeout: o.Timeout, maxBody: o.MaxBody}
	if u.timeout == 0 {
		u.timeout = 10 * time.Second
	}
	if u.maxBody == 0 {
		u.maxBody = 32 << 20
	}
	connections := o.MaxConcurrent
	if connections == 0 {
		connections = 64
	}
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxConnsPerHost:        connections,
		MaxIdleConns:           2 * connections,
		MaxIdleConnsPerHost:    connections, // the default of 2 makes a new connection for nearly every call
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
	}
	u.writes = newClient(transport)
	u.reads = newClient(transport)
	u.reads.SetRetryCount(o.Retries).
		SetRetryWaitTime(50 * time.Millisecond).
		SetRetryMaxWaitTime(time.Second).
		AddRetryCondition(worthRetrying).
		AddRetryHook(func(r *resty.Response, _ error) {
			if r.Request.Attempt <= o.Retries { // the hook runs after the last attempt too
				closeBody(r)
			}
		})
	return u
}

// newClient makes a client without the cookie jar of resty.New, which would put
// one visitor's login on the next one's request.
func newClient(transport http.RoundTripper) *resty.Client {
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
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

func worthRetrying(r *resty.Response, err error) bool {
	if err != nil {
		return true
	}
	switch r.StatusCode() {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func closeBody(r *resty.Response) {
	if body := r.RawBody(); body != nil {
		body.Close() // nothing was read from it that a failed close could lose
	}
}

// reply is what the legacy answered, whole.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// The ways in which a call fails to get an answer.
var (
	errNotSent  = errors.New("nothing was sent to the upstream")
	errNoAnswer = errors.New("the upstream did not answer")
	errTooBig   = errors.New("the answer is larger than upstream.max_body")
)

// call sends req to a REST root of the legacy and reads the answer. Errors wrap
// errNotSent if the legacy certainly saw nothing of the call, else errNoAnswer or
// errTooBig, and never hold a URL.
func (u *upstream) call(ctx context.Context, root string, req mapping.Request, who identity) (reply, error) {
	target := root + req.Path
	if req.Query != "" {
		target += "?" + req.Query
	}
	return u.do(ctx, req.Method, target, req.Body, who)
}

func (u *upstream) do(ctx context.Context, method, target string, body []byte, who identity) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, u.timeout)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})

	client := u.writes
	if method == http.MethodGet || method == http.MethodHead {
		client = u.reads
	}
	request := client.R().SetContext(ctx).SetHeaders(who.header())
	if body != nil {
		request.SetHeader("Content-Type", "application/json").SetBody(body)
	}
	response, err := request.Execute(method, target)
	if err != nil {
		return reply{}, callError(sent.Load(), err)
	}
	defer closeBody(response)
	data, err := u.read(response)
	if err != nil {
		return reply{}, err
	}
	return reply{status: response.StatusCode(), header: response.Header(), body: data}, nil
}

// read reads the body to its end, into memory of the length that is announced.
func (u *upstream) read(response *resty.Response) ([]byte, error) {
	var b bytes.Buffer
	if announced := response.RawResponse.ContentLength; announced > 0 && announced <= u.maxBody {
		b.Grow(int(announced) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(io.LimitReader(response.RawBody(), u.maxBody+1)); err != nil {
		return nil, callError(true, err)
	}
	if int64(b.Len()) > u.maxBody {
		return nil, errTooBig
	}
	return b.Bytes(), nil
}

// callError keeps of err what is safe to log.
func callError(sent bool, err error) error {
	kind := errNotSent
	if sent {
		kind = errNoAnswer
	}
	return fmt.Errorf("%w: %w", kind, safeCause(err))
}

var errProtocol = errors.New("what answers does not speak HTTP as it should")

// safeCause drops the URL that net/http puts into its errors, and the errors
// that quote what was received, which may echo a secret.
func safeCause(err error) error {
	for _, known := range []error{
		context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, http.ErrSchemeMismatch,
	} {
		if errors.Is(err, known) {
			return known
		}
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificate
	}
	return errProtocol
}
