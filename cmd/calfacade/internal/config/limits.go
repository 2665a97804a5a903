package config

import "time"

// Limits bounds the requests and connections of clients.
type Limits struct {
	// MaxRequestBody is the maximum body of a request. Default 1MiB; 0 is an error.
	MaxRequestBody Size `yaml:"max_request_body"`

	// MaxConnections is the maximum number of client connections. Further ones
	// wait. Default 10000; 0 disables the limit.
	MaxConnections int `yaml:"max_connections"`

	// MaxClientConnections is the maximum number of connections of one IPv4 address
	// or IPv6 /64 network, [Config.TrustedProxies] excepted. Further ones are closed at
	// once. Default 1000; 0 disables the limit.
	// Both limits apply in the same way to the requests in progress over HTTP/2, whatever
	// connections they come by: further ones are a 503.
	MaxClientConnections int `yaml:"max_client_connections"`

	// IdleTimeout is the time for which an idle connection is kept open. Default
	// 2m; 0 is an error.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
}

func (f *faults) limits(l Limits) {
	positive(f, "limits.max_request_body", l.MaxRequestBody)
	f.check(l.MaxConnections >= 0, "limits.max_connections", "must not be negative, but is %d", l.MaxConnections)
	f.check(l.MaxClientConnections >= 0, "limits.max_client_connections", "must not be negative, but is %d", l.MaxClientConnections)
	positive(f, "limits.idle_timeout", l.IdleTimeout)
}
