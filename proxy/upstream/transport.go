package upstream

import (
	"cmp"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
	"go.uber.org/zap"
)

// maxConnectionAge is the age at which a connection gets no more calls. A peer that has moved in
// DNS is found at its new address, although its old server still responds.
const maxConnectionAge = time.Minute

// pingTimeout is the silence of an HTTP/2 connection before it is pinged, and the time for the
// response to the ping, before the connection is closed. Both together are less than a call may
// take by default: a read that waits for a dead connection is repeated on another.
const pingTimeout = 2 * time.Second

// maxResponseHeader is in bytes.
const maxResponseHeader = 64 << 10

// Transport makes the calls to a peer. Its connections have a maximum age, and a dead one is noticed.
// It returns final responses, with bodies decompressed.
type Transport struct {
	base   *http.Transport // has no connections
	access AccessOptions

	mu      sync.Mutex
	current *http.Transport // nil before the first call
	expires time.Time       // of current
}

// NewTransport returns a transport with timeouts of a TCP connection, and of TLS again, and with
// a maximum of connections that have calls. A nil security is the default of [http.Transport].
func NewTransport(timeout time.Duration, connections int, security *tls.Config) *Transport {
	return &Transport{base: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    timeout,
		MaxConnsPerHost:        connections,
		MaxIdleConnsPerHost:    connections, // the default of 2 makes a new connection for nearly every call
		IdleConnTimeout:        maxConnectionAge,
		MaxResponseHeaderBytes: maxResponseHeader,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingTimeout, PingTimeout: pingTimeout},
		TLSClientConfig:        security,
	}}
}

// RoundTrip implements [http.RoundTripper]. By itself net/http decodes one gzip, by one of its names.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	out := request.Clone(request.Context())
	out.Header.Set("Accept-Encoding", "gzip") // net/http then leaves the response as it came
	t.access.add(out)
	response, err := t.young().RoundTrip(out)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		// No call requests a 101. Its body is the connection, which net/http neither closes nor
		// limits by the context of the request.
		_ = response.Body.Close()
		response.Body = http.NoBody
		response.ContentLength = 0
	}
	if err := decode(response); err != nil {
		_ = response.Body.Close() // it is not used
		return nil, err
	}
	return response, nil
}

// young returns a transport whose connections may get a call. It replaces the whole transport, since
// net/http keeps an HTTP/2 connection for as long as it has calls.
func (t *Transport) young() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.current == nil || now.After(t.expires) {
		t.retire()
		t.current = t.base.Clone()
		t.expires = now.Add(maxConnectionAge)
	}
	return t.current
}

// CloseIdleConnections closes connections without calls. Later calls have new connections.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retire()
}

// retire ends the use of the current connections. The caller holds mu.
func (t *Transport) retire() {
	if t.current != nil {
		go t.current.CloseIdleConnections() // it may wait for a dead peer
	}
	t.current = nil
}

// AccessOptions configure how the legacy is reached if its URL is not enough. They do not
// apply to other backends.
type AccessOptions struct {
	Host string         // name of the site in Host and in its certificate; "" is the host of its URL
	CAs  *x509.CertPool // for its certificate; nil uses those of the system

	// Header is sent with every call. It may hold secrets and is never logged or recorded.
	Header http.Header

	// ClientCredentials is the header field in which a client's Authorization is forwarded.
	// "" is Authorization; if Header has that field, requests with credentials are refused.
	ClientCredentials string
}

// add adds the options to a call. A recording does not see them, since it is above the transport.
func (o AccessOptions) add(out *http.Request) {
	out.Host = cmp.Or(o.Host, out.Host)
	client := out.Header.Get("Authorization")
	if client != "" && o.ClientCredentials != "" {
		out.Header.Del("Authorization")
		out.Header.Set(o.ClientCredentials, client)
	}
	maps.Copy(out.Header, o.Header)
}

// tls returns how the site is authenticated; nil for the default.
func (o AccessOptions) tls() *tls.Config {
	if o.Host == "" && o.CAs == nil {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.CAs, ServerName: (&url.URL{Host: o.Host}).Hostname()}
}

// RefusesCredentials reports whether the credentials of clients cannot be forwarded because
// the operator's are in the same header field.
func (o AccessOptions) RefusesCredentials() bool {
	return o.ClientCredentials == "" && o.Header.Get("Authorization") != ""
}

const contentEncoding = "Content-Encoding"

// maxCodings is how many codings of one body are decoded. A plugin and a server before it that both
// compress make two.
const maxCodings = 3

// knownCodings matches a list of codings that are all gzip, by one of its names (RFC 9110, 8.4.1.3), or none.
var knownCodings = regexp.MustCompile(`^((x-)?gzip|identity|[\s,])*$`)

// decode removes the content codings of a response, unless one is not known: see [Response.Undecoded].
// A response without a body may name a coding.
func decode(response *http.Response) error {
	codings := strings.ToLower(strings.Join(response.Header.Values(contentEncoding), ","))
	n := strings.Count(codings, "gzip")
	if n > maxCodings || !knownCodings.MatchString(codings) {
		return nil
	}
	for range n {
		z, err := gzip.NewReader(response.Body)
		if err == io.EOF { // nothing was read
			break
		}
		if err != nil {
			return err
		}
		response.Body = decoded{Reader: z, Closer: response.Body}
	}
	if n > 0 {
		response.Header.Del("Content-Length")
		response.ContentLength = -1
		response.Uncompressed = true
	}
	response.Header.Del(contentEncoding)
	return nil
}

// decoded is the body from which a reader removes a coding.
type decoded struct {
	io.Reader
	io.Closer
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
		SetHeader("User-Agent", "calfacade").
		SetHeader("Accept", "application/json").
		SetLogger(zap.NewNop().Sugar()) // resty logs URLs, and with them the passwords in them
}
