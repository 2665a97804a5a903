package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"time"
)

// TLS enables TLS on [Config.Listen]. The facade reloads the files when they change,
// without closing connections. Both files are required together.
type TLS struct {
	// CertFile is a PEM file: the certificate of the server, followed by its
	// issuers. Default none: no TLS.
	CertFile string `yaml:"cert_file"`

	// KeyFile is a PEM file with the private key. Nobody else should be able to
	// read it. Default none.
	KeyFile string `yaml:"key_file"`

	// HSTS is the max-age of Strict-Transport-Security, sent over TLS only: TLS of
	// the facade or of a trusted proxy. Default 4320h; 0 disables it.
	HSTS time.Duration `yaml:"hsts"`
}

// CORS selects which pages of other origins may use the API.
type CORS struct {
	// Origins are such as https://www.example.org or https://*.example.org; * is
	// any origin. Default *; an empty list allows none.
	Origins []string `yaml:"origins"`

	// Credentials lets these pages send the visitor's credentials. It is an error
	// together with the origin *. Default false.
	Credentials bool `yaml:"credentials"`

	// MaxAge is the time for which a browser may cache the response to a preflight
	// request. Default 10m; 0 leaves it to the browser.
	MaxAge time.Duration `yaml:"max_age"`
}

// RateLimit limits the requests of one client: an IPv4 address, or an IPv6 /64
// network. Requests beyond a limit get a 429.
type RateLimit struct {
	// Reads limits read requests. 600/1m allows 600 requests at once, and 600 more
	// spread evenly over each minute. Default none.
	Reads Quota `yaml:"reads"`

	// Writes limits requests by POST, PUT, PATCH, DELETE and unknown methods.
	// Default none.
	Writes Quota `yaml:"writes"`

	// FailedSignIns limits how often the site may reject the client's credentials,
	// or its password of an item. Beyond it, all requests of the client with
	// credentials get a 429 until the window has passed. Default 30/1m; empty
	// disables the limit.
	FailedSignIns Quota `yaml:"failed_sign_ins"`

	// Clients is the maximum number of clients that are tracked at once. Default
	// 100000; 0 is an error.
	Clients int `yaml:"clients"`

	// Shared counts in [Cache.Redis], if that is set, for all instances together. It
	// costs each request a call to Redis. Default true.
	Shared bool `yaml:"shared"`
}

var originPattern = regexp.MustCompile(`^(\*|https?://(\*\.)?([a-z0-9-]+\.)*[a-z0-9-]+(:[0-9]+)?|https?://\[[0-9a-f:]+\](:[0-9]+)?)$`)

func (f *faults) security(c Config) {
	f.oneOf("mode", c.Mode, "read_write", "read_only")
	f.oneOf("writes", c.Writes, "any", "need_credentials")
	f.oneOf("updates", c.Updates, "merge", "as_is")
	f.oneOf("update_handling", c.UpdateHandling, "lenient", "strict")
	f.oneOf("forwarded_header", c.ForwardedHeader, "x-forwarded-for", "forwarded")
	f.proxies(c.TrustedProxies)
	f.check((c.TLS.CertFile == "") == (c.TLS.KeyFile == ""), "tls", "cert_file and key_file are required together")
	f.notNegative("tls.hsts", c.TLS.HSTS)
	f.cors(c.CORS)
	positive(f, "rate_limit.clients", c.RateLimit.Clients)
	for i, l := range c.Languages {
		f.encrypted(fmt.Sprintf("languages[%d].upstream", i), l.Upstream, c.Upstream.AllowPlainHTTP)
	}
}

func (f *faults) encrypted(key, url string, plain bool) {
	f.check(plain || !inTheClear(url), key,
		"is http: passwords of clients would pass the network unencrypted; use https, or accept it with upstream.allow_plain_http")
}

// inTheClear reports whether calls to a URL leave the machine unencrypted.
func inTheClear(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Scheme == "http" && u.Hostname() != "" && !isLoopback(u.Hostname())
}

func (f *faults) cors(c CORS) {
	for i, origin := range c.Origins {
		f.check(originPattern.MatchString(origin), fmt.Sprintf("cors.origins[%d]", i),
			"%q is neither * nor an origin such as https://www.example.org or https://*.example.org", origin)
	}
	f.check(!c.Credentials || !slices.Contains(c.Origins, "*"), "cors.credentials",
		"with the origin * any page could use a visitor's credentials: name the origins")
	f.notNegative("cors.max_age", c.MaxAge)
}

// Wider networks cannot be private: fc00::/7 is the widest private one.
const (
	widestIPv4 = 8
	widestIPv6 = 7
)

func (f *faults) proxies(list []string) {
	for i, s := range list {
		key := fmt.Sprintf("trusted_proxies[%d]", i)
		p, err := parseProxy(s)
		f.check(err == nil, key, "%q is not an address or a network such as 10.0.0.0/8", s)
		f.check(err != nil || !p.Addr().Is4In6(), key, "%s is an IPv4 network in IPv6 form: write it as IPv4", s)
		tooWide := err == nil && (p.Addr().Is4() && p.Bits() < widestIPv4 || p.Addr().Is6() && p.Bits() < widestIPv6)
		f.check(!tooWide, key, "%s is too wide: it includes public addresses, which could claim any client address", s)
	}
}

func parseProxy(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.ParsePrefix(s)
}

// Trusted returns the networks of TrustedProxies of a valid configuration.
func (c Config) Trusted() []netip.Prefix {
	var all []netip.Prefix
	for _, s := range c.TrustedProxies {
		p, err := parseProxy(s)
		if err != nil {
			panic("BUG: the proxies were validated: " + err.Error())
		}
		all = append(all, p)
	}
	return all
}

// Warnings returns the risks of a valid configuration.
func (c Config) Warnings() []string {
	var all []string
	if file := c.TLS.KeyFile; file != "" {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o007 != 0 {
			all = append(all, fmt.Sprintf("tls.key_file: every user of this machine may read %s (%s)", file, info.Mode().Perm()))
		}
	}
	if c.Upstream.AllowPlainHTTP {
		for i, l := range c.Languages {
			if inTheClear(l.Upstream) {
				all = append(all, fmt.Sprintf("languages[%d].upstream: passwords pass the network unencrypted", i))
			}
		}
	}
	return all
}
