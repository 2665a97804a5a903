package config

import (
	"time"

	"github.com/calfacade/calfacade/proxy/freshness"
)

// Edge selects what caches in front of the facade get with the responses that all
// clients share: keys by which they purge them, and how long they may serve them.
// With the defaults they get Cache-Control and Age alone.
type Edge struct {
	freshness.Surrogate `yaml:",inline"`

	// Purge are the caches in front, and other receivers, that get every purge. Default
	// none.
	Purge []PurgeTarget `yaml:"purge"`
}

// Limits bounds the requests and connections of clients.
type Limits struct {
	// MaxConnections is the maximum number of client connections. Further ones
	// wait. Default 10000; 0 disables the limit.
	MaxConnections int `yaml:"max_connections" default:"10000" check:"range 0" restart:"yes"`

	// MaxClientConnections is the maximum number of connections of one IPv4 address
	// or IPv6 /64 network, [Config.TrustedProxies] excepted. Further ones are closed at
	// once. Default 1000; 0 disables the limit.
	// Both limits apply in the same way to the requests in progress over HTTP/2, whatever
	// connections they come by: further ones are a 503.
	MaxClientConnections int `yaml:"max_client_connections" default:"1000" check:"range 0" restart:"yes"`

	// IdleTimeout is the time for which an idle connection is kept open. Default
	// 2m; 0 is an error.
	IdleTimeout time.Duration `yaml:"idle_timeout" default:"2m" check:"positive" restart:"yes"`
}
