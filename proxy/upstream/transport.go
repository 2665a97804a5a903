package upstream

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxConnectionAge is the age at which a connection gets no more calls. A peer that has moved in
// DNS is found at its new address, although its old server still responds.
const maxConnectionAge = time.Minute

// pingTimeout is the silence of an HTTP/2 connection before it is pinged, and the time for the
// response to the ping, before the connection is closed. Both together are less than a call may
// take by default: a read that waits for a dead connection is repeated on another.
const pingTimeout = 2 * time.Second

// maxResponseHeader is in bytes. net/http has a larger limit, since beyond its limit some errors
// do not name the cause.
const maxResponseHeader = 64 << 10

// Transport makes the calls to a peer. Its connections have a maximum age, and a dead one is noticed.
type Transport struct {
	base *http.Transport // has no connections

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
		MaxResponseHeaderBytes: 4 * maxResponseHeader,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingTimeout, PingTimeout: pingTimeout},
		TLSClientConfig:        security,
	}}
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.young().RoundTrip(r)
	if err == nil && sizeOf(response.Header) > maxResponseHeader {
		_ = response.Body.Close() // it is not used
		return nil, errHeader
	}
	return response, err
}

func sizeOf(h http.Header) (bytes int) {
	for name, values := range h {
		for _, value := range values {
			bytes += len(name) + len(value) + len(": \r\n")
		}
	}
	return bytes
}

// young returns a transport whose connections may get a call. It replaces the whole transport, since
// net/http keeps an HTTP/2 connection for as long as it has calls.
func (t *Transport) young() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); t.current == nil || now.After(t.expires) {
		if t.current != nil {
			go t.current.CloseIdleConnections() // it may wait for a dead peer
		}
		t.current, t.expires = t.base.Clone(), now.Add(maxConnectionAge)
	}
	return t.current
}

// CloseIdleConnections closes connections without calls. Later calls have new connections.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	old := t.current
	t.current = nil
	t.mu.Unlock()
	if old != nil {
		old.CloseIdleConnections()
	}
}
