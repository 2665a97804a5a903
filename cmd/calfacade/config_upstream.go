package main

import (
	"fmt"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
)

// BreakerConfig is when a language's upstream is left alone for a while. What
// counts as failed is a call without an answer, and one with a 5xx.
type BreakerConfig struct {
	// Percent of the calls within Window must have failed, 0 to 100. Default 50; 0
	// means that no failure opens the breaker, only a Retry-After.
	Percent int `yaml:"percent"`

	// Calls is how many there must have been for that. Default 10; 0 is refused.
	Calls int `yaml:"calls"`

	// Window is how far back calls count. Default 10s; 0 is refused.
	Window time.Duration `yaml:"window"`

	// Open is how long no call is made then. Default 5s; 0 is refused.
	Open time.Duration `yaml:"open"`

	// Probes is how many calls are made after that, before all are: if each of
	// them succeeds, the breaker closes. Default 3; 0 is refused.
	Probes int `yaml:"probes"`
}

func defaultBreaker() BreakerConfig {
	return BreakerConfig{Percent: 50, Calls: 10, Window: 10 * time.Second, Open: 5 * time.Second, Probes: 3}
}

func (f *faults) upstream(u UpstreamConfig) {
	f.oneOf("upstream.dialect", u.Dialect, dialects()...)
	f.check(namespacePattern.MatchString(u.Namespace), "upstream.namespace",
		"%q is not made of segments of a-z, 0-9 and -, joined by /", u.Namespace)
	f.check(paramPattern.MatchString(u.LanguageParam), "upstream.language_param",
		"%q is neither empty nor a name of a-z, 0-9 and _", u.LanguageParam)
	positive(f, "upstream.connect_timeout", u.ConnectTimeout)
	f.notNegative("upstream.first_byte_timeout", u.FirstByteTimeout)
	positive(f, "upstream.timeout", u.Timeout)
	positive(f, "upstream.max_body", u.MaxBody)
	positive(f, "upstream.max_concurrent", u.MaxConcurrent)
	f.check(u.MaxQueue >= 0, "upstream.max_queue", "must not be negative, but is %d", u.MaxQueue)
	positive(f, "upstream.queue_timeout", u.QueueTimeout)
	f.between("upstream.retries", u.Retries, 0, 10)
	f.between("upstream.retry_percent", u.RetryPercent, 1, 100)
	f.between("upstream.breaker.percent", u.Breaker.Percent, 0, 100)
	positive(f, "upstream.breaker.calls", u.Breaker.Calls)
	positive(f, "upstream.breaker.window", u.Breaker.Window)
	positive(f, "upstream.breaker.open", u.Breaker.Open)
	positive(f, "upstream.breaker.probes", u.Breaker.Probes)
	f.notNegative("upstream.max_retry_after", u.MaxRetryAfter)
	for i, alias := range u.SiteAliases {
		f.url(fmt.Sprintf("upstream.site_aliases[%d]", i), alias)
	}
}

func (f *faults) between(key string, value, least, most int) {
	f.check(least <= value && value <= most, key, "must be %d to %d, but is %d", least, most, value)
}

// upstreamOptions turns a valid configuration into how the site is called.
func upstreamOptions(u UpstreamConfig) proxy.UpstreamOptions {
	return proxy.UpstreamOptions{
		Dialect:          mapping.DialectOf(u.Dialect),
		Namespace:        u.Namespace,
		LanguageParam:    u.LanguageParam,
		SiteAliases:      u.SiteAliases,
		ConnectTimeout:   u.ConnectTimeout,
		FirstByteTimeout: u.FirstByteTimeout,
		Timeout:          u.Timeout,
		MaxBody:          int64(u.MaxBody),
		MaxConcurrent:    u.MaxConcurrent,
		MaxQueue:         u.MaxQueue,
		QueueTimeout:     u.QueueTimeout,
		Retries:          u.Retries,
		RetryPercent:     u.RetryPercent,
		Breaker:          proxy.BreakerOptions(u.Breaker),
		MaxRetryAfter:    u.MaxRetryAfter,
	}
}
