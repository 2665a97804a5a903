package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// TLS is the certificate of Listen. Both files or none; they are read again
// when they change, and connections go on.
type TLS struct {
	// CertFile is PEM, the server's certificate first and then its issuers. Default
	// empty: no TLS.
	CertFile string `yaml:"cert_file"`

	// KeyFile is the key of it, PEM, which nobody else should be able to read.
	KeyFile string `yaml:"key_file"`

	// HSTS is for how long a browser that came by TLS comes back by nothing else.
	// It is told over TLS only, here or at a trusted proxy. Default 4320h; 0 tells
	// nothing.
	HSTS time.Duration `yaml:"hsts"`
}

// CORS is which pages of other origins may use the facade.
type CORS struct {
	// Origins are such as https://www.example.org or https://*.example.org. Default
	// *, which is any; empty is none.
	Origins []string `yaml:"origins"`

	// Credentials lets those pages use a visitor's login. Refused beside *. Default
	// false.
	Credentials bool `yaml:"credentials"`

	// MaxAge is how long a browser keeps the answer to a preflight. Default 10m; 0
	// leaves it to the browser.
	MaxAge time.Duration `yaml:"max_age"`
}

// RateLimit is how often one client may ask. A client is an address, or of IPv6
// a network of 64 bits.
type RateLimit struct {
	// Reads is such as 600/1m: 600 requests at once, and 600 more evenly over each
	// minute. Default empty: no limit.
	Reads Quota `yaml:"reads"`

	// Writes is the same for POST, PUT, PATCH, DELETE and unknown methods.
	Writes Quota `yaml:"writes"`

	// FailedSignIns is how often the site may refuse a client's credentials, or its
	// password of an item; then requests with any are answered with 429 until the time is
	// over. Default 30/1m; empty: no limit.
	FailedSignIns Quota `yaml:"failed_sign_ins"`

	// Clients is how many are remembered at once. Default 100000; 0 is refused.
	Clients int `yaml:"clients"`

	// Shared counts in Cache.Redis, where there is one, for all copies together.
	// That costs each request a call to it. Default true.
	Shared bool `yaml:"shared"`
}

// Quota is a number of requests in a time, written as 600/1m; empty is none.
type Quota struct {
	Requests int
	Window   time.Duration
}

// UnmarshalText reads what an operator wrote. The error quotes it.
func (q *Quota) UnmarshalText(text []byte) error {
	if envString(string(text)) == "" {
		*q = Quota{}
		return nil
	}
	number, window, _ := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(number)
	d, badWindow := time.ParseDuration(window)
	if err != nil || badWindow != nil || n < 1 || n > 1_000_000 || d < time.Second || d > 24*time.Hour {
		return fmt.Errorf("%q is not a quota such as 600/1m: 1 to 1000000 requests in 1s to 24h", text)
	}
	*q = Quota{n, d}
	return nil
}

// UnmarshalYAML exists for the line number, as that of Size does.
func (q *Quota) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return typeError(n, "a quota is wanted here, such as 600/1m")
	}
	if err := q.UnmarshalText([]byte(n.Value)); err != nil {
		return typeError(n, err.Error())
	}
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (q Quota) MarshalText() ([]byte, error) {
	if q.Requests == 0 {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d/%s", q.Requests, q.Window), nil
}

// readSecretFiles reads the secrets that are in files of their own, as container
// platforms hand them out.
func (c *Config) readSecretFiles() error {
	var f faults
	f.secretFile("admin.token", c.Admin.TokenFile, len(c.Admin.Token.Reveal()) > 0, func(lines []string) {
		c.Admin.Token = NewSecret(strings.Join(lines, "\n"))
	})
	f.secretFile("cache.redis", c.Cache.RedisFile, len(c.Cache.Redis) > 0, func(lines []string) {
		c.Cache.Redis = NewSecrets(lines)
	})
	f.secretFile("cache.renew_token", c.Cache.RenewTokenFile, c.Cache.RenewToken.Reveal() != "", func(lines []string) {
		c.Cache.RenewToken = NewSecret(strings.Join(lines, "\n"))
	})
	f.secretFile("upstream.password", c.Upstream.PasswordFile, c.Upstream.Password.Reveal() != "", func(lines []string) {
		c.Upstream.Password = NewSecret(strings.Join(lines, "\n"))
	})
	f.secretFile("upstream.headers", c.Upstream.HeadersFile, len(c.Upstream.Headers) > 0, func(lines []string) {
		c.Upstream.Headers = NewSecrets(lines)
	})
	return errors.Join(f...)
}

// secretFile hands on the lines of file. Errors tell its name and nothing of it.
func (f *faults) secretFile(key, file string, given bool, set func(lines []string)) {
	if file == "" {
		return
	}
	f.check(!given, key+"_file", "%s is given as well: one of the two", key)
	data, err := os.ReadFile(file)
	if err != nil {
		f.check(false, key+"_file", "%v", err)
		return
	}
	text := strings.TrimSpace(string(data))
	f.check(text != "", key+"_file", "%s is empty", file)
	set(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }))
}

var originPattern = regexp.MustCompile(`^(\*|https?://(\*\.)?([a-z0-9-]+\.)*[a-z0-9-]+(:[0-9]+)?|https?://\[[0-9a-f:]+\](:[0-9]+)?)$`)

func (f *faults) security(c Config) {
	f.oneOf("mode", c.Mode, "read_write", "read_only")
	f.oneOf("writes", c.Writes, "any", "need_credentials")
	f.oneOf("updates", c.Updates, "merge", "as_is")
	f.oneOf("update_handling", c.UpdateHandling, "lenient", "strict")
	f.oneOf("forwarded_header", c.ForwardedHeader, "x-forwarded-for", "forwarded")
	f.proxies(c.TrustedProxies)
	f.check((c.TLS.CertFile == "") == (c.TLS.KeyFile == ""), "tls", "cert_file and key_file belong together")
	f.notNegative("tls.hsts", c.TLS.HSTS)
	f.cors(c.CORS)
	positive(f, "rate_limit.clients", c.RateLimit.Clients)
	for i, l := range c.Languages {
		f.encrypted(fmt.Sprintf("languages[%d].upstream", i), l.Upstream, c.Upstream.AllowPlainHTTP)
	}
}

func (f *faults) encrypted(key, url string, plain bool) {
	f.check(plain || !inTheClear(url), key,
		"is http, so that clients' passwords would pass the network unencrypted: use https, or accept it with upstream.allow_plain_http")
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
		"beside the origin * any page could act with a visitor's login: name the origins")
	f.notNegative("cors.max_age", c.MaxAge)
}

// Networks wider than these are not one's own: fc00::/7 is the widest that is.
const (
	widestIPv4 = 8
	widestIPv6 = 7
)

func (f *faults) proxies(list []string) {
	for i, s := range list {
		key := fmt.Sprintf("trusted_proxies[%d]", i)
		p, err := parseProxy(s)
		f.check(err == nil, key, "%q is not an address or a network such as 10.0.0.0/8", s)
		f.check(err != nil || !p.Addr().Is4In6(), key, "%s is an IPv4 network in IPv6: write it as IPv4", s)
		tooWide := err == nil && (p.Addr().Is4() && p.Bits() < widestIPv4 || p.Addr().Is6() && p.Bits() < widestIPv6)
		f.check(!tooWide, key, "%s is so wide that strangers are in it, who could name themselves any client", s)
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

// Warnings are what is odd about a valid configuration, but no reason not to serve.
func (c Config) Warnings() []string {
	var all []string
	if file := c.TLS.KeyFile; file != "" {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o007 != 0 {
			all = append(all, fmt.Sprintf("tls.key_file: everybody on this machine may read %s (%s)", file, info.Mode().Perm()))
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
