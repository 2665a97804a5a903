package config

import "time"

// Limits bounds the requests and connections of clients.
type Limits struct {
	// MaxRequestBody is the maximum body of a request. Default 1MiB; 0 is an error.
	MaxRequestBody Size `yaml:"max_request_body"`

	// MaxURL is the maximum length of path and query together. Default 8KiB; 0 is
	// an error.
	MaxURL Size `yaml:"max_url"`

	// MaxHeader is the maximum size of the request line and header together.
	// Default 64KiB; 0 is an error.
	MaxHeader Size `yaml:"max_header"`

	// MaxBodies is the maximum size of all request bodies in flight. Beyond it, a
	// write gets a 503. Default 64MiB; 0 disables the limit.
	MaxBodies Size `yaml:"max_bodies"`

	// MaxUncached is the maximum number of requests in flight that are not served
	// from the cache; a quarter of it is reserved for writes. Beyond it, a request
	// gets a stale response or a 503. Default 1024; 0 disables the limit.
	MaxUncached int `yaml:"max_uncached"`

	// MaxConnections is the maximum number of client connections. Further ones
	// wait. Default 10000; 0 disables the limit.
	MaxConnections int `yaml:"max_connections"`

	// MaxClientConnections is the maximum number of connections of one IPv4 address
	// or IPv6 /64 network, [Config.TrustedProxies] excepted. Further ones are closed at
	// once. Default 1000; 0 disables the limit.
	// Both limits apply in the same way to the requests in progress over HTTP/2, whatever
	// connections they come by: further ones are a 503.
	MaxClientConnections int `yaml:"max_client_connections"`

	// HeaderTimeout is the time allowed for reading the header of a request.
	// Default 10s; 0 is an error.
	HeaderTimeout time.Duration `yaml:"header_timeout"`

	// ReadTimeout is the time allowed for reading a whole request. Default 30s; 0
	// is an error.
	ReadTimeout time.Duration `yaml:"read_timeout"`

	// WriteTimeout is the time allowed from the end of the request's header to the
	// last byte of the response. Default 0s: twice [Upstream.Timeout] plus
	// [Upstream.QueueTimeout], plus 30s.
	WriteTimeout time.Duration `yaml:"write_timeout"`

	// IdleTimeout is the time for which an idle connection is kept open. Default
	// 2m; 0 is an error.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
}

func (f *faults) limits(l Limits) {
	positive(f, "limits.max_request_body", l.MaxRequestBody)
	positive(f, "limits.max_url", l.MaxURL)
	positive(f, "limits.max_header", l.MaxHeader)
	f.check(l.MaxBodies == 0 || l.MaxBodies >= l.MaxRequestBody, "limits.max_bodies",
		"must be 0, or at least limits.max_request_body")
	f.check(l.MaxUncached >= 0, "limits.max_uncached", "must not be negative, but is %d", l.MaxUncached)
	f.check(l.MaxConnections >= 0, "limits.max_connections", "must not be negative, but is %d", l.MaxConnections)
	f.check(l.MaxClientConnections >= 0, "limits.max_client_connections", "must not be negative, but is %d", l.MaxClientConnections)
	positive(f, "limits.header_timeout", l.HeaderTimeout)
	positive(f, "limits.read_timeout", l.ReadTimeout)
	f.notNegative("limits.write_timeout", l.WriteTimeout)
	positive(f, "limits.idle_timeout", l.IdleTimeout)
}
