package config

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/onward"
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

// PurgeTarget is a cache in front of the facade, or another receiver, that gets every purge: those
// of writes, of the site and of operators. docs/caching.md describes them.
type PurgeTarget struct {
	onward.Target `yaml:",inline"`

	// Token is the token of the API of fastly or cloudflare, which require it. Others get
	// it as a bearer token. Default empty.
	Token Secret `yaml:"token" check:"?printable"`

	// Secret signs what a webhook is sent, at least 32 characters; webhook requires
	// it. Default empty.
	Secret Secret `yaml:"secret" check:"?secret32"`

	// Rate limits the calls, of all instances together. 25/5m allows 25 calls at once,
	// and 25 more spread evenly over each five minutes. Default empty: 1000/1h for
	// fastly, 25/5m for cloudflare, which is its free plan, and no limit for others.
	Rate edge.Quota `yaml:"rate"`
}

var targetID = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)

// Targets returns the targets of a valid section.
func (e Edge) Targets() []onward.Target {
	var targets []onward.Target
	for _, t := range e.Purge {
		t.Target.Token = t.Token.Reveal()
		t.Target.Secret = t.Secret.Reveal()
		t.Limit = onward.Limit{Calls: t.Rate.Requests, Window: t.Rate.Window}
		targets = append(targets, t.Target)
	}
	return targets
}

func (f *faults) purgeTargets(e Edge) {
	var names []string
	for i, t := range e.Purge {
		key := fmt.Sprintf("edge.purge[%d]", i)
		f.check(!slices.Contains(names, t.Name), key+".name", "%q is also the name of another target", t.Name)
		names = append(names, t.Name)
		if slices.Contains(onward.Kinds, t.Kind) {
			f.purgeTarget(key, t, e.Tags)
		}
	}
}

// purgeTarget checks the keys that depend on the type of a target.
func (f *faults) purgeTarget(key string, t PurgeTarget, tags string) {
	service := onward.Target{Kind: t.Kind}.WithDefaults().URL != ""
	f.check(service || t.URL != "", key+".url", "is required")
	f.check(!service || !inTheClear(t.URL), key+".url", "is http: the token would pass the network unencrypted")
	f.check(service == targetID.MatchString(t.ID), key+".id",
		"is required with fastly and cloudflare, as letters and digits, and only there")
	f.check(!service || t.Token.Reveal() != "", key+".token", "is required with %s", t.Kind)
	f.check((t.Kind == onward.Webhook) == (t.Secret.Reveal() != ""), key+".secret", "is required with webhook, and only there")
	f.check(t.Repeat == 0 || t.Kind != onward.Webhook, key+".repeat", "is not for webhook")
	keyField, byKeys := purgedBy[t.Kind]
	f.check(!byKeys || tags == keyField, key, "%s purges by the keys of responses: set edge.tags to %s", t.Kind, keyField)
}

// purgedBy is the value of [Edge.Tags] by which a kind of cache can purge.
var purgedBy = map[onward.Kind]string{
	onward.Varnish:    "xkey",
	onward.VarnishBan: "xkey",
	onward.Fastly:     "surrogate-key",
	onward.Cloudflare: "cache-tag",
}
