package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // cache.zone is known on machines without a database of zones

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
)

// Cache is what is kept of answers, where and for how long.
type Cache struct {
	// Enabled keeps answers at all. Default true.
	Enabled bool `yaml:"enabled"`

	// Redis is what all copies share: a redis://, rediss:// or unix:// URL; a list
	// for the nodes of a cluster or, with ?master_name=, for Sentinels. In the
	// environment commas separate them. Special characters of a password must be
	// percent-encoded, a comma among them. Default none: memory alone.
	Redis Secrets `yaml:"redis"`

	// RedisFile is a file with these URLs, one in a line, in place of Redis. Default
	// none.
	RedisFile string `yaml:"redis_file"`

	// RenewToken is what a client sends in X-Calfacade-Token to have an answer made anew
	// by Cache-Control: no-cache; at least 16 characters, and another one than
	// Admin.Token, for it passes the listener of all clients. Default empty: nobody can.
	RenewToken Secret `yaml:"renew_token"`

	// RenewTokenFile is a file with it, in place of RenewToken. Default none.
	RenewTokenFile string `yaml:"renew_token_file"`

	// Prefix begins all keys in Redis. Sites that share a Redis need different
	// ones, or they give each other's answers. Default calfacade.
	Prefix string `yaml:"prefix"`

	// PurgeWait is the bound of a write's purge: a write is answered once every instance
	// has applied it, and at the latest after this time; an instance that has not looked
	// at the log of purges for as long does so before it serves from memory. Default
	// 250ms; 50ms to 5s.
	PurgeWait time.Duration `yaml:"purge_wait"`

	// Doubt is how long the site may still be at a write whose outcome nobody knows, since
	// the site did not answer in time or the instance died: so long what the write may
	// change is given for a second at most. Default 60s; 1s to 10m.
	Doubt time.Duration `yaml:"doubt"`

	// StateDir is a directory for purges that Redis has not got when the process ends; the
	// next one sends them. Default none: then they are lost, and the process ends with 1.
	StateDir string `yaml:"state_dir"`

	// WithoutRedis is what is done with answers in memory while Redis does not answer:
	// "serve" gives them, though purges of other instances are not heard of; "fetch" asks
	// the site. Default serve.
	WithoutRedis string `yaml:"without_redis"`

	// Memory is for all that reads can make grow in this process, in bytes: a sixteenth
	// for answers that say there is nothing, a sixteenth for what targets of requests mean,
	// the rest for answers. The process takes up to half as much again, and 64 MiB.
	// Default 256MiB; 0 is refused.
	Memory Size `yaml:"memory"`

	// MaxEntry is the largest answer kept in memory, in bytes; larger ones are
	// kept in Redis alone, without Redis not at all. Default 4MiB; 0 is refused.
	MaxEntry Size `yaml:"max_entry"`

	// TTL is how long answers are fresh, by collection. Defaults are the table's;
	// 0 keeps none.
	TTL TTLs `yaml:"ttl" env:"-"`

	// StaleWhileRevalidate is how long after that an answer is still given while
	// it is made anew. Default 5m; 0 means not at all.
	StaleWhileRevalidate time.Duration `yaml:"stale_while_revalidate"`

	// StaleIfError is how long an answer is still given if it cannot be made anew.
	// Default 24h; 0 means not at all.
	StaleIfError time.Duration `yaml:"stale_if_error"`

	// NegativeTTL is how long a 400 or 404 is kept. Default 10s; 0 means not at all.
	NegativeTTL time.Duration `yaml:"negative_ttl"`

	// Zone is the time zone of the site, such as Europe/London: answers that
	// depend on the day end at its midnight. Default empty, which asks the site's
	// REST index.
	Zone string `yaml:"zone"`

	// IgnoreCookies are names of cookies that the site sets though its answer is
	// everybody's; a * at the end stands for anything. An answer with another cookie
	// is not kept, and no cookie reaches a client. Default: those of well-known load
	// balancers, firewalls, language plugins and PHP's sessions. A list replaces
	// these; [] means that every cookie counts.
	IgnoreCookies []string `yaml:"ignore_cookies"`

	// OverrideNoStore keeps answers to anonymous readers though the site says no-store
	// or private, as it does with PHP's sessions. Default false.
	OverrideNoStore bool `yaml:"override_no_store"`

	// ObeyOrigin has the site's Cache-Control, Expires, Age, Date and Vary decide how long
	// answers are fresh and may be stale (RFC 9111, RFC 5861), before TTL,
	// StaleWhileRevalidate and StaleIfError. Default false: these decide.
	ObeyOrigin bool `yaml:"obey_origin"`
}

// Shares are the parts of Memory: what is for answers, and what is for known targets.
func (c Cache) Shares() (answers, targets int64) {
	targets = int64(c.Memory) / 16 // cache.New takes about as much for what says that there is nothing
	return int64(c.Memory) - targets, targets
}

// ignoredCookies say nothing of who reads an answer.
var ignoredCookies = []string{
	"ARRAffinity", "ARRAffinitySameSite", // Azure
	"AWSALB", "AWSALBCORS", "AWSALBTG", "AWSALBTGCORS", // Amazon
	"BIGipServer*", // F5
	"PHPSESSID",
	"SERVERID",                     // HAProxy
	"__cf_bm", "__cflb", "_cfuvid", // Cloudflare
	"_icl_current_language", // WPML, before version 3
	"incap_ses_*", "nlbi_*", // Imperva
	"pll_language", // Polylang
	"tk_ai",        // Jetpack
	"trp_language", // TranslatePress
	"visid_incap_*",
	"wp-wpml_current_admin_language_*", "wp-wpml_current_language",
}

// Admin is who may do what on the admin listener.
type Admin struct {
	// Token is the bearer token of POST /purge, at least 16 characters. Default
	// empty, which switches purging by HTTP off.
	Token Secret `yaml:"token"`

	// Pprof serves Go's profiles at /debug/pprof/, to who has Token if there is
	// one. Default false.
	Pprof bool `yaml:"pprof"`

	// TokenFile is a file with the token, in place of Token. Default none.
	TokenFile string `yaml:"token_file"`

	// Hosts are names that AdminListen is reached by, without a port. /metrics, /livez,
	// /readyz, and without a Token the status page and profiles, are answered under these,
	// localhost and addresses alone: a page of a stranger may have its own name lead here.
	// Default none.
	Hosts []string `yaml:"hosts"`
}

// TTLs are durations by collection, those of the table.
type TTLs map[string]time.Duration

func defaultCache() Cache {
	return Cache{
		Enabled:              true,
		Prefix:               "calfacade",
		PurgeWait:            250 * time.Millisecond,
		Doubt:                time.Minute,
		WithoutRedis:         "serve",
		Memory:               256 << 20,
		MaxEntry:             4 << 20,
		TTL:                  tableTTLs(),
		StaleWhileRevalidate: 5 * time.Minute,
		StaleIfError:         24 * time.Hour,
		NegativeTTL:          10 * time.Second,
		IgnoreCookies:        slices.Clone(ignoredCookies),
	}
}

// tableTTLs gives for each collection what the table says of its reads.
func tableTTLs() TTLs {
	t := TTLs{}
	for i := range mapping.Table {
		if e := &mapping.Table[i]; e.TTL > 0 {
			t[e.Resource] = e.TTL
		}
	}
	return t
}

// UnmarshalYAML sets the keys that are there, and leaves the others.
func (t TTLs) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return typeError(n, "a mapping is wanted here, such as {"+slices.Sorted(maps.Keys(t))[0]+": 60s}")
	}
	var problems []string
	lines := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		problem := func(format string, args ...any) {
			problems = append(problems, fmt.Sprintf("line %d: %s", key.Line, fmt.Sprintf(format, args...)))
		}
		if first := lines[key.Value]; first > 0 {
			problem("mapping key %q already defined at line %d", key.Value, first)
			continue
		}
		lines[key.Value] = key.Line
		if _, known := t[key.Value]; !known {
			problem("unknown key %q", key.Value)
			continue
		}
		var d time.Duration
		if err := value.Decode(&d); err != nil {
			if te, ok := errors.AsType[*yaml.TypeError](err); ok {
				problems = append(problems, te.Errors...)
				continue
			}
			return err
		}
		t[key.Value] = d
	}
	if len(problems) > 0 {
		return &yaml.TypeError{Errors: problems}
	}
	return nil
}

var (
	prefixPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	cookiePattern = regexp.MustCompile("^[!#$%&'+.^_`|~0-9A-Za-z-]+[*]?$|^[*]$")
	tokenPattern  = regexp.MustCompile(`^[!-~]{16,}$`)
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
)

func (f *faults) cache(c Cache) {
	f.redis(c.Redis)
	f.check(prefixPattern.MatchString(c.Prefix), "cache.prefix", "%q is not made of letters, digits, - . and _", c.Prefix)
	f.check(50*time.Millisecond <= c.PurgeWait && c.PurgeWait <= 5*time.Second, "cache.purge_wait", "must be from 50ms to 5s, but is %s", c.PurgeWait)
	f.check(time.Second <= c.Doubt && c.Doubt <= 10*time.Minute, "cache.doubt", "must be from 1s to 10m, but is %s", c.Doubt)
	f.check(c.WithoutRedis == "serve" || c.WithoutRedis == "fetch", "cache.without_redis", "%q is neither serve nor fetch", c.WithoutRedis)
	positive(f, "cache.memory", c.Memory)
	positive(f, "cache.max_entry", c.MaxEntry)
	for _, resource := range mapping.Resources() {
		f.notNegative("cache.ttl."+resource, c.TTL[resource])
	}
	f.notNegative("cache.stale_while_revalidate", c.StaleWhileRevalidate)
	f.notNegative("cache.stale_if_error", c.StaleIfError)
	f.notNegative("cache.negative_ttl", c.NegativeTTL)
	for i, name := range c.IgnoreCookies {
		key := fmt.Sprintf("cache.ignore_cookies[%d]", i)
		f.check(cookiePattern.MatchString(name), key, "%q is no name of a cookie, nor the beginning of one and a *", name)
		f.check(!proxy.SignsIn(name), key, "%q signs somebody in: answers with it are never shared", name)
	}
	_, err := time.LoadLocation(c.Zone)
	// The zone of the machine is another one for each copy.
	f.check(err == nil && c.Zone != "Local", "cache.zone", "%q is not the name of a time zone such as Europe/London", c.Zone)
}

// redis opens what the URLs name, for that connects to nothing and knows what is
// wrong with them. Its errors quote no part of a URL.
func (f *faults) redis(urls Secrets) {
	if len(urls) == 0 {
		return
	}
	r, err := redisstore.Open(redisstore.Options{URLs: urls.Reveal()})
	if err != nil {
		f.check(false, "cache.redis", "%s", strings.TrimPrefix(err.Error(), "cache: "))
		return
	}
	_ = r.Close() // nothing was connected
}

func (f *faults) tokens(c Config) {
	f.token("admin.token", c.Admin.Token)
	f.token("cache.renew_token", c.Cache.RenewToken)
	f.check(c.Cache.RenewToken.Reveal() == "" || !c.Cache.RenewToken.Equal(c.Admin.Token), "cache.renew_token",
		"is the admin.token, which may do more and is for another listener")
	for i, host := range c.Admin.Hosts {
		f.check(namePattern.MatchString(host), fmt.Sprintf("admin.hosts[%d]", i), "%q is no name of a host, without a port", host)
	}
}

func (f *faults) token(key string, token Secret) {
	f.check(token.Reveal() == "" || tokenPattern.MatchString(token.Reveal()), key,
		"must be 16 characters or more, of ASCII and without spaces")
}

func (f *faults) notNegative(key string, d time.Duration) {
	f.check(d >= 0, key, "must not be negative, but is %s", d)
}
