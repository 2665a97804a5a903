package config

import (
	"time"

	"github.com/calfacade/calfacade/proxy/surrogate"
)

// Edge selects what caches in front of the facade get with the responses that all
// clients share: keys by which they purge them, and how long they may serve them.
// With the defaults they get Cache-Control and Age alone.
type Edge struct {
	// Tags is the header field with the keys of a response: surrogate-key, cache-tag
	// or xkey. Each names something that the response shows, such as events:12 or
	// es:events. The cache in front should remove the field. Default: none.
	Tags string `yaml:"tags" default:"none" check:"oneof none surrogate-key cache-tag xkey"`

	// Prefix begins every key, before a dot. Sites that share a cache in front need
	// different prefixes. At most 16 letters, digits, - and _. Default empty.
	Prefix string `yaml:"prefix" check:"keys"`

	// Lifetime is the field from which the cache in front reads how long it may serve
	// a response: cache-control, cdn-cache-control (RFC 9213), surrogate-control, or
	// x-accel-expires for nginx, which ignores Age. With cdn-cache-control and
	// surrogate-control, Cache-Control is for browsers alone, and has no stale
	// directives. Default cache-control.
	Lifetime string `yaml:"lifetime" default:"cache-control" check:"oneof cache-control cdn-cache-control surrogate-control x-accel-expires"`

	// MaxAge is the longest time for which browsers may serve a response, counted as
	// `cache.ttl` is. Default 0: they validate each time, and so see what they have
	// written. 8760h: as long as the facade, and then stale, as shared caches may.
	MaxAge time.Duration `yaml:"max_age" check:"range 0s"`

	// SMaxAge is the longest time for which shared caches may serve a response. No
	// value makes it longer than `cache.ttl`. Default 8760h: as long as the facade.
	SMaxAge time.Duration `yaml:"s_maxage" default:"8760h" check:"range 0s"`

	// Purge are the caches in front, and other receivers, that get every purge. Default
	// none.
	Purge []PurgeTarget `yaml:"purge"`
}

// noLimit is the default of the limits: no response lives as long.
const noLimit = 365 * 24 * time.Hour

// The values of Tags and Lifetime, with their fields.
var (
	edgeTags = map[string]surrogate.Tags{
		"none": surrogate.NoTags, "surrogate-key": surrogate.SurrogateKey, "cache-tag": surrogate.CacheTag, "xkey": surrogate.XKey,
	}
	edgeLifetimes = map[string]surrogate.Lifetime{
		"cache-control": surrogate.CacheControl, "cdn-cache-control": surrogate.CDNCacheControl,
		"surrogate-control": surrogate.SurrogateControl, "x-accel-expires": surrogate.AccelExpires,
	}
)

// Keys makes the keys of responses and of purges.
func (e Edge) Keys() surrogate.Keys { return surrogate.Keys{Prefix: e.Prefix} }

// Surrogate returns the options of a valid section.
func (e Edge) Surrogate() surrogate.Options {
	o := surrogate.Options{
		Tags: edgeTags[e.Tags], Lifetime: edgeLifetimes[e.Lifetime],
		MaxAge: limit(e.MaxAge), SMaxAge: limit(e.SMaxAge),
	}
	if o.Tags != surrogate.NoTags {
		o.Keys = e.Keys()
	}
	return o
}

func limit(d time.Duration) surrogate.Limit {
	if d >= noLimit {
		return surrogate.Limit{}
	}
	return surrogate.AtMost(d)
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
