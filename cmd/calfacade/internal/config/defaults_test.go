package config

import (
	"testing"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// TestDefaults: the default of a key is the default of the option that the key sets, and the limit that a package names.
func TestDefaults(t *testing.T) {
	c := Default()
	_, targets := c.Cache.Shares()
	for key, values := range map[string][2]any{
		"cache.memory":             {c.Cache.Memory, Size(cache.DefaultMemory)},
		"cache.memory for targets": {targets, int64(proxy.DefaultTargets)},
		"cache.prefix":             {c.Cache.Prefix, redisstore.DefaultPrefix},
		"cache.redis_timeout":      {c.Cache.RedisTimeout, redisstore.DefaultTimeout},
		"edge.s_maxage":            {c.Edge.SMaxAge, freshness.Unlimited},
		"upstream.dialect":         {DialectOf(c.Upstream.Dialect), tribe.Dialect},
		"upstream.language_param":  {c.Upstream.LanguageParam, tribe.Dialect.LanguageParam},
		"upstream.max_concurrent":  {c.Upstream.MaxConcurrent, upstream.DefaultConcurrent},
		"upstream.timeout":         {c.Upstream.Timeout, upstream.DefaultTimeout},
	} {
		if values[0] != values[1] {
			t.Errorf("%s is %v by default, and the option %v", key, values[0], values[1])
		}
	}
}
