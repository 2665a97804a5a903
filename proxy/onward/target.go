package onward

import (
	"cmp"
	"time"
)

// Kind is the kind of a target.
type Kind string

// The kinds.
const (
	Varnish    Kind = "varnish"
	VarnishBan Kind = "varnish-ban" // without vmod xkey
	Nginx      Kind = "nginx"
	Fastly     Kind = "fastly"
	Cloudflare Kind = "cloudflare"
	Webhook    Kind = "webhook"
)

// Kinds are all kinds.
var Kinds = []Kind{Varnish, VarnishBan, Nginx, Fastly, Cloudflare, Webhook}

// Target is where purges are sent. The fields with tags are keys of the configuration.
type Target struct {
	// Name names the target in metrics, logs and Redis: a-z, 0-9 and -.
	Name string `yaml:"name" check:"name"`

	// Kind is varnish, varnish-ban (without vmod xkey), nginx, fastly, cloudflare or webhook.
	Kind Kind `yaml:"type" check:"in varnish varnish-ban nginx fastly cloudflare webhook"`

	// URL is where the target is reached: an http or https URL. Default empty: the
	// public API of fastly or cloudflare. The other types require it.
	URL string `yaml:"url" check:"?url"`

	// ID is the ID of the service at fastly, or of the zone at cloudflare. Default
	// empty, which the other types require.
	ID string `yaml:"id"`

	// Repeat is the time after which what the target has accepted is sent once more, for
	// responses that were on their way to it and arrived after the purge: up to twice this
	// time later, together with others. Not for webhook. At most 1m. Default 0s, which
	// disables it.
	Repeat time.Duration `yaml:"repeat" check:"range 0s 1m"`

	Token   string        `yaml:"-"` // of the API, or the bearer token of a request; "" sends none
	Secret  string        `yaml:"-"` // signs the requests to a [Webhook]
	Timeout time.Duration `yaml:"-"` // of one call; 0 is 5 s
	Limit   Limit         `yaml:"-"` // of calls, by all instances together; the zero value selects the limit of the kind
}

// Limit is a number of calls: so many at once, and as many more spread over each window.
type Limit struct {
	Calls  int // 0 is no limit
	Window time.Duration
}

// interval returns the interval at which a call is regained.
func (l Limit) interval() time.Duration { return l.Window / time.Duration(max(1, l.Calls)) }

// services are public APIs, with the limit of their smallest plan: Fastly documents 1,000 calls an
// hour, Cloudflare 5 calls a minute with a bucket of 25.
var services = map[Kind]Target{
	Fastly:     {URL: "https://api.fastly.com", Limit: Limit{Calls: 1000, Window: time.Hour}},
	Cloudflare: {URL: "https://api.cloudflare.com/client/v4", Limit: Limit{Calls: 25, Window: 5 * time.Minute}},
}

// WithDefaults returns the target with the defaults of its kind. The URL stays "" for a kind without a
// public API.
func (t Target) WithDefaults() Target {
	defaults := services[t.Kind]
	t.URL = cmp.Or(t.URL, defaults.URL)
	t.Timeout = cmp.Or(t.Timeout, 5*time.Second)
	t.Limit = cmp.Or(t.Limit, defaults.Limit)
	return t
}
