package config

import (
	"time"
)

// Upstream configures the calls to the legacy site.
type Upstream struct {
	// Dialect is the API of the site: tribe/events/v1, or the dialect of a backend
	// that has become the site. Default tribe/events/v1.
	Dialect string `yaml:"dialect"`

	// Namespace is the path of the API below the REST root of each language. Default
	// tribe/events/v1.
	Namespace string `yaml:"namespace"`

	// LanguageParam is the query parameter that selects a language. Default
	// wpml_language; empty if the site has none.
	LanguageParam string `yaml:"language_param"`

	// Host is the public host of the site, if the upstreams of the languages are
	// internal addresses. It is sent as Host, checked against the certificate, and
	// expected in the links of the site, in all languages. Default empty: the host of
	// the upstream.
	Host string `yaml:"host"`

	// CAFile is a PEM file of the only CAs that are trusted for the site's
	// certificate. Default none: the CAs of the system, or those that
	// Mozilla trusts if the system has none.
	CAFile string `yaml:"ca_file"`

	// Username is the user of HTTP Basic authentication, if the web server of the site
	// requires that. It must not be a WordPress user: every client would see that
	// user's drafts. Default none.
	Username string `yaml:"username"`

	// Password is the password of [Upstream.Username]. Default none.
	Password Secret `yaml:"password"`

	// PasswordFile is a file that holds [Upstream.Password]. Default none.
	PasswordFile string `yaml:"password_file"`

	// Headers are header fields, such as "X-Key: value", that every call carries.
	// Their values are secrets. Default none.
	Headers Secrets `yaml:"headers"`

	// HeadersFile is a file that holds [Upstream.Headers], one in a line. Default none.
	HeadersFile string `yaml:"headers_file"`

	// Authorization is the header field in which calls have the client's
	// Authorization. Default empty: Authorization; if [Upstream.Username] or
	// [Upstream.Headers] set that, requests with credentials get a 403.
	Authorization string `yaml:"authorization"`

	// ConnectTimeout is the time allowed for a TCP connection, and again for its
	// TLS handshake. Default 5s; 0 is an error.
	ConnectTimeout time.Duration `yaml:"connect_timeout"`

	// FirstByteTimeout is the time allowed from the end of the request to the end
	// of the response's header. Default 0s: only [Upstream.Timeout] applies.
	FirstByteTimeout time.Duration `yaml:"first_byte_timeout"`

	// Timeout is the time allowed for one call, from dialing to the last byte of
	// the body, retries and the rewriting of the response included. A change requires a
	// restart while [Limits.WriteTimeout], which derives from it, is 0. Default 10s; 0 is
	// an error.
	Timeout time.Duration `yaml:"timeout"`

	// MaxBody is the maximum body of a response, after decompression, and after each one
	// if it was compressed up to three times. Default 32MiB; 0 is an error.
	MaxBody Size `yaml:"max_body"`

	// MaxConcurrent is the maximum number of calls in flight to one host, from this
	// instance. Default 64; 0 is an error.
	MaxConcurrent int `yaml:"max_concurrent"`

	// MaxQueue is the maximum number of calls that wait for a slot. Background
	// refreshes do not wait, and a quarter of the queue is reserved for writes.
	// Default 64; 0 disables the queue.
	MaxQueue int `yaml:"max_queue"`

	// ClientShare is the maximum share, in percent, of [Upstream.MaxConcurrent] and of
	// [Upstream.MaxQueue] that one client may occupy: an IPv4 address, or an IPv6 /64
	// network. 100 disables the limit, for setups in which all clients have one
	// address. Default 75; 0 is an error.
	ClientShare int `yaml:"client_share"`

	// QueueTimeout is the time for which a call waits for a slot. A change requires
	// a restart under the same condition as [Upstream.Timeout]. Default 1s; 0 is an error.
	QueueTimeout time.Duration `yaml:"queue_timeout"`

	// Retries is the maximum number of retries of a failed read, 0 to 10. Writes
	// are never retried. Default 2; 0 disables retries.
	Retries int `yaml:"retries"`

	// RetryPercent is the maximum number of retries for each 100 calls, 1 to 100.
	// Default 20.
	RetryPercent int `yaml:"retry_percent"`

	Breaker Breaker `yaml:"breaker"`

	// MaxRetryAfter is the maximum time for which a Retry-After of the site is
	// honoured. WordPress sends ten minutes during maintenance, which usually ends
	// after one. Default 30s; 0 ignores Retry-After.
	MaxRetryAfter time.Duration `yaml:"max_retry_after"`

	// AllowPlainHTTP accepts upstreams by http on other machines, to which credentials
	// are then sent unencrypted. Default false.
	AllowPlainHTTP bool `yaml:"allow_plain_http"`

	// SiteAliases are other base URLs of the legacy site in its links, such as its
	// http form. They apply to the site of the first language and to languages
	// below it; for a language with a domain of its own, see [Language.SiteAliases].
	// Default none.
	SiteAliases []string `yaml:"site_aliases"`

	// WordPressURL is the "WordPress Address" in the settings of the site, if it is
	// not below its "Site Address": links to images are below it. [Rewrite.Site]
	// applies to them. Default empty: images are below the site.
	WordPressURL string `yaml:"wordpress_url"`
}

// Breaker configures the circuit breaker of a language's root. A call fails if it
// gets no response or a status of 5xx.
type Breaker struct {
	// Percent is the share of failed calls within [Breaker.Window] that opens the breaker, 0
	// to 100. Default 50; with 0 only a Retry-After opens it.
	Percent int `yaml:"percent"`

	// Calls is the minimum number of calls within [Breaker.Window]. Default 10; 0 is an
	// error.
	Calls int `yaml:"calls"`

	// Window is the period over which calls are counted. Default 10s; 0 is an error.
	Window time.Duration `yaml:"window"`

	// Open is the time for which an open breaker allows no call. Default 5s; 0 is
	// an error.
	Open time.Duration `yaml:"open"`

	// Probes is the number of calls that are allowed after [Breaker.Open]. If all of
	// them succeed, the breaker closes. Default 3; 0 is an error.
	Probes int `yaml:"probes"`
}
