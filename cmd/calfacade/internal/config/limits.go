package config

import "time"

// Limits bounds what a client may send.
type Limits struct {
	// MaxRequestBody is in bytes. Default 1MiB; 0 is refused.
	MaxRequestBody Size `yaml:"max_request_body"`

	// MaxURL bounds path and query together, in bytes. Default 8KiB; 0 is
	// refused.
	MaxURL Size `yaml:"max_url"`

	// MaxHeader bounds a request's line and header, in bytes. Default 64KiB; 0 is
	// refused.
	MaxHeader Size `yaml:"max_header"`

	// MaxBodies bounds all request bodies under way together, in bytes; beyond it a
	// write is answered with 503. Default 64MiB; 0 means no bound.
	MaxBodies Size `yaml:"max_bodies"`

	// MaxUncached is how many requests may be under way at once that the cache does
	// not answer; a quarter is kept for writes. Beyond it they get something stale
	// or a 503. Default 1024; 0 means no bound.
	MaxUncached int `yaml:"max_uncached"`

	// MaxConnections is how many clients may be connected at once; more wait.
	// Default 10000; 0 means no bound.
	MaxConnections int `yaml:"max_connections"`

	// MaxClientConnections is how many of these one address may have, or of IPv6 one
	// network of 64 bits; more are closed at once. Those of TrustedProxies are not
	// counted. Default 1000; 0 means no bound.
	MaxClientConnections int `yaml:"max_client_connections"`

	// HeaderTimeout is how long a client may take to send the header. Default 10s;
	// 0 is refused.
	HeaderTimeout time.Duration `yaml:"header_timeout"`

	// ReadTimeout is how long it may take to send a request whole. Default 30s; 0
	// is refused.
	ReadTimeout time.Duration `yaml:"read_timeout"`

	// WriteTimeout is how long a request may take from its header to the last byte
	// of its answer. Default 0, which is 30s and twice what a call to the site may take.
	WriteTimeout time.Duration `yaml:"write_timeout"`

	// IdleTimeout is how long a connection is kept for the next request. Default
	// 2m; 0 is refused.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
}

func defaultLimits() Limits {
	return Limits{
		MaxRequestBody: 1 << 20,
		MaxURL:         8 << 10,
		MaxHeader:      64 << 10,
		MaxBodies:      64 << 20,
		MaxUncached:    1024,
		MaxConnections: 10_000,

		MaxClientConnections: 1000,

		HeaderTimeout: 10 * time.Second,
		ReadTimeout:   30 * time.Second,
		IdleTimeout:   2 * time.Minute,
	}
}

func (f *faults) limits(l Limits) {
	positive(f, "limits.max_request_body", l.MaxRequestBody)
	positive(f, "limits.max_url", l.MaxURL)
	positive(f, "limits.max_header", l.MaxHeader)
	f.check(l.MaxBodies == 0 || l.MaxBodies >= l.MaxRequestBody, "limits.max_bodies",
		"must be 0 or have room for limits.max_request_body")
	f.check(l.MaxUncached >= 0, "limits.max_uncached", "must not be negative, but is %d", l.MaxUncached)
	f.check(l.MaxConnections >= 0, "limits.max_connections", "must not be negative, but is %d", l.MaxConnections)
	f.check(l.MaxClientConnections >= 0, "limits.max_client_connections", "must not be negative, but is %d", l.MaxClientConnections)
	positive(f, "limits.header_timeout", l.HeaderTimeout)
	positive(f, "limits.read_timeout", l.ReadTimeout)
	f.notNegative("limits.write_timeout", l.WriteTimeout)
	positive(f, "limits.idle_timeout", l.IdleTimeout)
}
