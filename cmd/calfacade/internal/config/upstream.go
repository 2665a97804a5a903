package config

import (
	"fmt"
	"time"
)

// Upstream is how the legacy site is called.
type Upstream struct {
	// Dialect is how the site speaks: tribe/events/v1, or as that of a backend once
	// it is the site. Default tribe/events/v1.
	Dialect string `yaml:"dialect"`

	// Namespace follows a language's upstream root. Default tribe/events/v1.
	Namespace string `yaml:"namespace"`

	// LanguageParam is the query parameter that selects a language. Default
	// wpml_language; empty means that the site has none.
	LanguageParam string `yaml:"language_param"`

	// Host is what the site is called by where Languages have an internal address: in
	// the header, in its certificate and in its links, for all languages. Default
	// empty: what the URLs say.
	Host string `yaml:"host"`

	// CAFile is a file of CAs, PEM, that alone sign the site's certificate. Default
	// empty: those of the system.
	CAFile string `yaml:"ca_file"`

	// Username and Password are of HTTP Basic in front of the site: of a gate, and of
	// no user of WordPress, whose drafts everybody would see. Default none.
	Username string `yaml:"username"`
	Password Secret `yaml:"password"`

	// PasswordFile is a file with the password, in place of Password. Default none.
	PasswordFile string `yaml:"password_file"`

	// Headers are header fields, such as "X-Key: value", that each call has. All of
	// them are secrets. Default none.
	Headers Secrets `yaml:"headers"`

	// HeadersFile is a file with these, one in a line, in place of Headers. Default
	// none.
	HeadersFile string `yaml:"headers_file"`

	// Authorization is the header field by which a client's Authorization passes.
	// Default empty: by its own; where Username or Headers have that, requests with
	// credentials are refused with 403.
	Authorization string `yaml:"authorization"`

	// ConnectTimeout bounds the making of a TCP connection, and that of TLS on it.
	// Default 5s; 0 is refused.
	ConnectTimeout time.Duration `yaml:"connect_timeout"`

	// FirstByteTimeout bounds the wait from the end of a request to the end of the
	// answer's header. Default 0s, which leaves it to Timeout.
	FirstByteTimeout time.Duration `yaml:"first_byte_timeout"`

	// Timeout bounds one upstream call, from dialing to the last byte of the
	// body, retries among it. Default 10s; 0 is refused, for a call without end
	// holds one of MaxConcurrent for ever.
	Timeout time.Duration `yaml:"timeout"`

	// MaxBody bounds one answer's body, in bytes after decompression. Default
	// 32MiB; 0 is refused.
	MaxBody Size `yaml:"max_body"`

	// MaxConcurrent is how many calls to one host may be under way at once, from
	// this process. Default 64; 0 is refused.
	MaxConcurrent int `yaml:"max_concurrent"`

	// MaxQueue is how many more calls may wait for one of these to end. Background
	// refreshes never do, and reads leave a quarter of it to writes. Default 64; 0
	// means that none waits.
	MaxQueue int `yaml:"max_queue"`

	// ClientShare is how many percent of MaxConcurrent and of MaxQueue one client may
	// have: an address, or of IPv6 a network of 64 bits. Default 75; 100 is no bound, for
	// where all come from one address that does not tell theirs; 0 is refused.
	ClientShare int `yaml:"client_share"`

	// QueueTimeout is how long one may wait. Default 1s; 0 is refused.
	QueueTimeout time.Duration `yaml:"queue_timeout"`

	// Retries is how often a failed read is tried again, at most 10;
	// writes never are. Default 2; 0 means never.
	Retries int `yaml:"retries"`

	// RetryPercent bounds all retries together: how many there may be for each 100
	// calls, 1 to 100. Default 20.
	RetryPercent int `yaml:"retry_percent"`

	Breaker Breaker `yaml:"breaker" envPrefix:"BREAKER_"`

	// MaxRetryAfter bounds how long the site is left alone when it asks for that
	// with Retry-After. Default 30s, for WordPress in maintenance asks for ten
	// minutes and is back after one; 0 means not at all.
	MaxRetryAfter time.Duration `yaml:"max_retry_after"`

	// AllowPlainHTTP accepts an upstream over http that is not on this machine,
	// though credentials pass to it. Default false.
	AllowPlainHTTP bool `yaml:"allow_plain_http" env:"ALLOW_PLAIN_HTTP"`

	// SiteAliases are other spellings of the legacy site in its links, such as
	// its http form: of the site of the first language, and of others that are below
	// it. One with a domain of its own has Languages.SiteAliases. Default none.
	SiteAliases []string `yaml:"site_aliases"`

	// WordPressURL is the "WordPress Address" of the site's settings where that is not
	// below its "Site Address": images are below it in links. Rewrite.Site moves them.
	// Default empty: they are below the site.
	WordPressURL string `yaml:"wordpress_url" env:"WORDPRESS_URL"`
}

// Breaker is when a language's upstream is left alone for a while. What
// counts as failed is a call without an answer, and one with a 5xx.
type Breaker struct {
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

func defaultBreaker() Breaker {
	return Breaker{Percent: 50, Calls: 10, Window: 10 * time.Second, Open: 5 * time.Second, Probes: 3}
}

func (f *faults) upstream(u Upstream) {
	f.oneOf("upstream.dialect", u.Dialect, dialects()...)
	f.check(namespacePattern.MatchString(u.Namespace), "upstream.namespace",
		"%q is not made of segments of a-z, 0-9 and -, joined by /", u.Namespace)
	f.check(paramPattern.MatchString(u.LanguageParam), "upstream.language_param",
		"%q is neither empty nor a name of a-z, 0-9 and _", u.LanguageParam)
	f.access(u)
	positive(f, "upstream.connect_timeout", u.ConnectTimeout)
	f.notNegative("upstream.first_byte_timeout", u.FirstByteTimeout)
	positive(f, "upstream.timeout", u.Timeout)
	positive(f, "upstream.max_body", u.MaxBody)
	positive(f, "upstream.max_concurrent", u.MaxConcurrent)
	f.check(u.MaxQueue >= 0, "upstream.max_queue", "must not be negative, but is %d", u.MaxQueue)
	f.check(u.ClientShare >= 1 && u.ClientShare <= 100, "upstream.client_share", "must be from 1 to 100, but is %d", u.ClientShare)
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
	if u.WordPressURL != "" {
		f.url("upstream.wordpress_url", u.WordPressURL)
	}
}

func (f *faults) between(key string, value, least, most int) {
	f.check(least <= value && value <= most, key, "must be %d to %d, but is %d", least, most, value)
}
