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

	// Timeout is the time allowed for one call, from dialing to the last byte of
	// the body, retries and the rewriting of the response included. A change requires a
	// restart: twice the time plus 32s is the time that a client may take to read a
	// response. Default 10s; 0 is an error.
	Timeout time.Duration `yaml:"timeout"`

	// MaxBody is the maximum body of a response, after decompression, and after each one
	// if it was compressed up to three times. Default 32MiB; 0 is an error.
	MaxBody Size `yaml:"max_body"`

	// MaxConcurrent is the maximum number of calls in flight to one host, from this
	// instance. 64 more wait for up to a second. One client, an IPv4 address or an IPv6
	// /64 network, occupies at most three quarters of both. Default 64; 0 is an error.
	MaxConcurrent int `yaml:"max_concurrent"`

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
