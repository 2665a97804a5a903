package config

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // cache.zone is known on machines without a database of zones

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
)

// Cache selects which responses are stored, where, and for how long.
type Cache struct {
	// Redis is the store that all instances share: a redis://, rediss:// or unix://
	// URL; a list for the nodes of a cluster or, with ?master_name=, for Sentinels.
	// Commas separate them in the environment. Special characters of a password
	// must be percent-encoded, commas included. Default empty: memory only.
	Redis Secrets `yaml:"redis"`

	// RedisTimeout is the time that a request waits for a read of the purge log in Redis, which
	// precedes each response: it shows what other instances have purged. After it the site is
	// called, and [Cache.WithoutRedis] applies once Redis is down. 5ms to 5s. Default 250ms.
	RedisTimeout time.Duration `yaml:"redis_timeout" default:"250ms" check:"range 5ms 5s"`

	// ReadLogEvery is the time for which one log read serves later requests too. It saves calls to
	// Redis, and delays by as much what other instances have written. 0s to 10s. Default 0s:
	// every request is served by a log read that began after it arrived.
	ReadLogEvery time.Duration `yaml:"read_log_every" check:"range 0s 10s"`

	// Prefix begins all keys in Redis. Sites that share a Redis need different
	// prefixes, or each serves the responses of the other. Default calfacade.
	Prefix string `yaml:"prefix" default:"calfacade" check:"prefix"`

	// WithoutRedis selects what happens to responses in memory while Redis is down, after a
	// second without an answer, or refuses writes: "serve" serves them, although purges of
	// other instances are missed; "fetch" calls the site. Default serve.
	WithoutRedis string `yaml:"without_redis" default:"serve" check:"in serve fetch"`

	// Memory limits the memory that reads can fill: one sixteenth for parsed
	// request targets, the rest for responses. The
	// process as a whole uses at most one and a half times this, plus 64MiB. Default
	// 256MiB; 0 is an error.
	Memory Size `yaml:"memory" default:"256MiB" check:"positive"`

	freshness.Options `yaml:",inline"`

	// SiteZone is the time zone of the site, such as Europe/London: responses that
	// depend on the date expire at midnight there, and writes, also to other backends,
	// convert dates with a zone to it. Default empty: the zone in the REST index of the
	// root that gets the call.
	SiteZone string `yaml:"zone"`
}

// Shares returns the parts of Memory, in bytes: for responses, and for parsed request
// targets.
func (c Cache) Shares() (responses, targets int64) {
	targets = int64(c.Memory) / 16
	return int64(c.Memory) - targets, targets
}

func (f *faults) cache(c Cache) {
	f.redis(c.Redis)
	for i, name := range c.IgnoreCookies {
		f.check(!edge.SignsIn(name), fmt.Sprintf("cache.ignore_cookies[%d]", i),
			"%q authenticates a user: responses with it are never shared", name)
	}
	_, err := time.LoadLocation(c.SiteZone)
	// The zone of the machine may differ between instances.
	f.check(err == nil && c.SiteZone != "Local", "cache.zone", "%q is not the name of a time zone such as Europe/London", c.SiteZone)
}

// redis opens the store of the URLs, which validates them without a connection. The errors quote no part of a
// URL.
func (f *faults) redis(urls Secrets) {
	if len(urls) == 0 {
		return
	}
	r, err := redisstore.Open(redisstore.Options{URLs: urls.Reveal()})
	if err != nil {
		f.check(false, "cache.redis", "%s", strings.TrimPrefix(err.Error(), "cache: "))
		return
	}
	_ = r.Close() // the store has no connection
}
