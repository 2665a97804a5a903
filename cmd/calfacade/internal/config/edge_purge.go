package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/onward"
)

// PurgeTarget is a cache in front of the facade, or another receiver, that gets every purge: those
// of writes, of the site and of operators. docs/caching.md describes them.
type PurgeTarget struct {
	// Name names the target in metrics, logs and Redis: a-z, 0-9 and -.
	Name string `yaml:"name" check:"name"`

	// Type is varnish, varnish-ban (without vmod xkey), nginx, fastly, cloudflare or webhook.
	Type onward.Kind `yaml:"type" check:"oneof varnish varnish-ban nginx fastly cloudflare webhook"`

	// URL is where the target is reached: an http or https URL. Default empty: the
	// public API of fastly or cloudflare. The other types require it.
	URL string `yaml:"url"`

	// ID is that of the service at fastly, or of the zone at cloudflare. Default
	// empty, which the other types require.
	ID string `yaml:"id"`

	// Token is that of the API of fastly or cloudflare, which require it. Others get
	// it as a bearer token. Default none.
	Token Secret `yaml:"token" check:"?printable"`

	// Secret signs what a webhook is sent, at least 32 characters; webhook requires
	// it. Default none.
	Secret Secret `yaml:"secret" check:"?secret32"`

	// Repeat is the time after which what the target has accepted is sent once more, for
	// responses that were on their way to it and arrived after the purge: up to twice this
	// time later, together with others. Not for webhook. At most 1m. Default 0s, which
	// disables it.
	Repeat time.Duration `yaml:"repeat" check:"range 0s 1m"`

	// Rate limits the calls, of all instances together. 25/5m allows 25 calls at once,
	// and 25 more spread evenly over each five minutes. Default empty: 1000/1h for
	// fastly, 25/5m for cloudflare, which is its free plan, and no limit for others.
	Rate edge.Quota `yaml:"rate"`
}

var targetID = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)

// target returns the target as package onward knows it.
func (t PurgeTarget) target() onward.Target {
	return onward.Target{
		Name: t.Name, Kind: t.Type, URL: strings.TrimRight(t.URL, "/"), ID: t.ID,
		Token: t.Token.Reveal(), Secret: t.Secret.Reveal(),
		Repeat: t.Repeat, Limit: onward.Limit{Calls: t.Rate.Requests, Window: t.Rate.Window},
	}
}

// Targets returns the targets of a valid section.
func (e Edge) Targets() []onward.Target {
	var all []onward.Target
	for _, t := range e.Purge {
		all = append(all, t.target())
	}
	return all
}

func (f *faults) purgeTargets(e Edge) {
	var names []string
	for i, t := range e.Purge {
		key := fmt.Sprintf("edge.purge[%d]", i)
		f.check(!slices.Contains(names, t.Name), key+".name", "%q is also the name of another target", t.Name)
		names = append(names, t.Name)
		if slices.Contains(onward.Kinds, t.Type) {
			f.purgeTarget(key, t, e.Tags)
		}
	}
}

// purgeTarget checks what depends on the type of a target.
func (f *faults) purgeTarget(key string, t PurgeTarget, tags string) {
	service := onward.Target{Kind: t.Type}.WithDefaults().URL != ""
	target := t.target().WithDefaults().URL
	problem := URLProblem(target)
	f.check(problem == "", key+".url", "%s", problem)
	f.check(!service || !inTheClear(target), key+".url", "is http: the token would pass the network unencrypted")
	f.check(service == targetID.MatchString(t.ID), key+".id",
		"is required with fastly and cloudflare, as letters and digits, and only there")
	f.check(!service || t.Token.Reveal() != "", key+".token", "is required with %s", t.Type)
	f.check((t.Type == onward.Webhook) == (t.Secret.Reveal() != ""), key+".secret", "is required with webhook, and only there")
	f.check(t.Repeat == 0 || t.Type != onward.Webhook, key+".repeat", "is not for webhook")
	want, byKeys := purgedBy[t.Type]
	f.check(!byKeys || tags == want, key, "%s purges by the keys of responses: set edge.tags to %s", t.Type, want)
}

// purgedBy is the value of [Edge.Tags] by which a kind of cache can purge.
var purgedBy = map[onward.Kind]string{
	onward.Varnish:    "xkey",
	onward.VarnishBan: "xkey",
	onward.Fastly:     "surrogate-key",
	onward.Cloudflare: "cache-tag",
}

// purgeWarnings returns the risks of valid targets.
func (c Config) purgeWarnings() (all []string) {
	for i, t := range c.Edge.Purge {
		if t.Token.Reveal() != "" && inTheClear(t.URL) {
			all = append(all, fmt.Sprintf("edge.purge[%d].url: the token passes the network unencrypted", i))
		}
	}
	if len(c.Edge.Purge) > 0 && len(c.Cache.Redis) == 0 {
		all = append(all, "edge.purge: without cache.redis purges wait in memory, each instance sends its own, and a start purges everything in front")
	}
	return all
}
