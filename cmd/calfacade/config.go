package main

import (
	"time"

	"github.com/calfacade/calfacade/i18n"
)

// Config is everything an operator can say about one calfacade process, and
// the manual for it: each field tells its unit, its default and what zero
// means. A field without a default must be given. The YAML tags are the keys
// of the file, and CALFACADE_ with the path in upper case is the environment
// variable that overrides one: CALFACADE_UPSTREAM_TIMEOUT,
// CALFACADE_LANGUAGES_0_ROOT. Its secrets print as ***, so it may be logged whole.
type Config struct {
	// Listen is the host:port that clients reach; an empty host is every
	// interface. Default 127.0.0.1:8080.
	Listen string `yaml:"listen"`

	// AdminListen is the host:port of /livez, /readyz, /metrics, /purge and the
	// status page. The first three have no authentication, so an address that is not loopback is accepted only
	// with Admin.Token, which says that it is meant. Default 127.0.0.1:9090; empty
	// means no admin listener.
	AdminListen string `yaml:"admin_listen"`

	TLS TLSConfig `yaml:"tls" envPrefix:"TLS_"`

	// TrustedProxies are addresses and networks (10.0.0.0/8) that are believed who
	// the client is, for RateLimit and the log. Default none: it is who connected.
	TrustedProxies []string `yaml:"trusted_proxies"`

	// ForwardedHeader is the field in which they tell it: "x-forwarded-for", with
	// X-Forwarded-Proto, or "forwarded". The other is not read, for a client could
	// send it. Default x-forwarded-for.
	ForwardedHeader string `yaml:"forwarded_header"`

	// Mode is "read_write", or "read_only": writes are answered with 503. Default
	// read_write.
	Mode string `yaml:"mode"`

	// Writes is "any", or "need_credentials": a write without any is answered with
	// 401 here, and the legacy is not asked. Default any.
	Writes string `yaml:"writes"`

	// PublicURL is what every link in an answer starts with: an http or https
	// URL, with a path if the facade is published below one. It is never taken
	// from a request's Host, which a client could choose and a cache would keep.
	PublicURL string `yaml:"public_url"`

	// Languages are the languages served, at least one; the first is the default.
	Languages []LanguageConfig `yaml:"languages" envPrefix:"LANGUAGES"`

	Upstream UpstreamConfig `yaml:"upstream" envPrefix:"UPSTREAM_"`
	// Backends are other sites that can answer. Default none.
	Backends []BackendConfig `yaml:"backends" env:"-"`
	Staging  StagingConfig   `yaml:"staging" envPrefix:"STAGING_"`

	Rewrite RewriteConfig `yaml:"rewrite" envPrefix:"REWRITE_"`
	Auth    AuthConfig    `yaml:"auth" envPrefix:"AUTH_"`
	Cache   CacheConfig   `yaml:"cache" envPrefix:"CACHE_"`
	Admin   AdminConfig   `yaml:"admin" envPrefix:"ADMIN_"`
	Docs    DocsConfig    `yaml:"docs" envPrefix:"DOCS_"`
	Limits  LimitsConfig  `yaml:"limits" envPrefix:"LIMITS_"`

	RateLimit RateConfig `yaml:"rate_limit" envPrefix:"RATE_LIMIT_"`
	CORS      CORSConfig `yaml:"cors" envPrefix:"CORS_"`

	// UnknownParams is what becomes of query parameters the contract does not
	// name: "drop" ignores them, "reject" answers 400. They reach the upstream
	// in neither case. Default drop.
	UnknownParams string `yaml:"unknown_params"`

	Log LogConfig `yaml:"log" envPrefix:"LOG_"`

	Tracing TracingConfig `yaml:"tracing" envPrefix:"TRACING_"`

	// ServerTiming tells clients in a header what their answer took: for finding
	// out, as it tells everybody. Default false.
	ServerTiming bool `yaml:"server_timing"`

	// Lane answers plain hits in memory below net/http, for half of what they cost; see
	// [proxy.Lane]. Not under TLS, nor with a candidate, RateLimit.Reads, Tracing or
	// ServerTiming. Default false.
	Lane bool `yaml:"lane"`

	// WatchInterval is how often "calfacade serve" looks whether its file has
	// changed, to read it again. Default 0, which means on SIGHUP alone.
	WatchInterval time.Duration `yaml:"watch_interval"`

	// DrainDelay is how long a shutdown goes on serving while /readyz says that it
	// is not ready, so that load balancers have seen it before connections are
	// refused. Default 0.
	DrainDelay time.Duration `yaml:"drain_delay"`

	// ShutdownTimeout is how long a graceful shutdown waits for requests under
	// way after that. Default 20s; 0 cuts them off at once.
	ShutdownTimeout time.Duration `yaml:"shutdown_timeout"`
}

// LanguageConfig is one language and where it lives, here and upstream.
type LanguageConfig struct {
	// Code is one of the known languages: en, es, de, fr.
	Code string `yaml:"code"`

	// Root is the path prefix of this language at the facade, such as
	// /es/wp-json. Empty means that the namespace starts at the top. Languages
	// have different roots unless all that share one are selected by parameter.
	Root string `yaml:"root"`

	// Upstream is the legacy site's REST root for this language, an http or
	// https URL without credentials, since it appears in logs.
	Upstream string `yaml:"upstream"`

	// Select is how the upstream is told the language: "path", by its own root
	// only; "parameter", by Upstream.LanguageParam only; "both". Default, and
	// what empty means, is both.
	Select i18n.Select `yaml:"select"`
}

// UpstreamConfig is how the legacy site is called.
type UpstreamConfig struct {
	// Dialect is how the site speaks: tribe/events/v1, or as that of a backend once
	// it is the site. Default tribe/events/v1.
	Dialect string `yaml:"dialect"`

	// Namespace follows a language's upstream root. Default tribe/events/v1.
	Namespace string `yaml:"namespace"`

	// LanguageParam is the query parameter that selects a language. Default
	// wpml_language; empty means that the site has none.
	LanguageParam string `yaml:"language_param"`

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

	// QueueTimeout is how long one may wait. Default 1s; 0 is refused.
	QueueTimeout time.Duration `yaml:"queue_timeout"`

	// Retries is how often a failed GET or HEAD is tried again, at most 10;
	// writes never are. Default 2; 0 means never.
	Retries int `yaml:"retries"`

	// RetryPercent bounds all retries together: how many there may be for each 100
	// calls, 1 to 100. Default 20.
	RetryPercent int `yaml:"retry_percent"`

	Breaker BreakerConfig `yaml:"breaker" envPrefix:"BREAKER_"`

	// MaxRetryAfter bounds how long the site is left alone when it asks for that
	// with Retry-After. Default 30s, for WordPress in maintenance asks for ten
	// minutes and is back after one; 0 means not at all.
	MaxRetryAfter time.Duration `yaml:"max_retry_after"`

	// AllowPlainHTTP accepts an upstream over http that is not on this machine,
	// though credentials pass to it. Default false.
	AllowPlainHTTP bool `yaml:"allow_plain_http" env:"ALLOW_PLAIN_HTTP"`

	// SiteAliases are other spellings of the legacy site in its links, such as
	// its http form. Default none.
	SiteAliases []string `yaml:"site_aliases"`
}

// RewriteConfig is what happens to links that are not the API's own.
type RewriteConfig struct {
	// Site is the URL that page and image links should point to instead of the
	// legacy site. Default empty, which leaves those links as they are.
	Site string `yaml:"site"`
}

// AuthConfig is which credentials pass besides the Authorization header.
type AuthConfig struct {
	// Cookies passes WordPress login cookies and X-WP-Nonce. Default false.
	Cookies bool `yaml:"cookies"`
}

// DocsConfig is how the interface is documented to people.
type DocsConfig struct {
	// Page serves the documentation as a page at /docs, beside the document at
	// /doc, which is there in any case. Default true.
	Page bool `yaml:"page"`
}

// LimitsConfig bounds what a client may send.
type LimitsConfig struct {
	// MaxRequestBody is in bytes. Default 1MiB; 0 is refused.
	MaxRequestBody Size `yaml:"max_request_body"`

	// MaxURL bounds path and query together, in bytes. Default 8KiB; 0 is
	// refused.
	MaxURL Size `yaml:"max_url"`

	// MaxHeader bounds a request's line and header, in bytes. Default 64KiB; 0 is
	// refused.
	MaxHeader Size `yaml:"max_header"`

	// MaxBodies bounds all request bodies under way together, in bytes; beyond it a
	// write is answered with 503. Default 64MiB; 0 means no bound.
	MaxBodies Size `yaml:"max_bodies"`

	// MaxUncached is how many requests may be under way at once that the cache does
	// not answer; a quarter is kept for writes. Beyond it they get something stale
	// or a 503. Default 1024; 0 means no bound.
	MaxUncached int `yaml:"max_uncached"`

	// MaxConnections is how many clients may be connected at once; more wait.
	// Default 10000; 0 means no bound.
	MaxConnections int `yaml:"max_connections"`

	// HeaderTimeout is how long a client may take to send the header. Default 10s;
	// 0 is refused.
	HeaderTimeout time.Duration `yaml:"header_timeout"`

	// ReadTimeout is how long it may take to send a request whole. Default 30s; 0
	// is refused.
	ReadTimeout time.Duration `yaml:"read_timeout"`

	// WriteTimeout is how long a request may take from its header to the last byte
	// of its answer. Default 0, which is 30s and twice what a call to the site may take.
	WriteTimeout time.Duration `yaml:"write_timeout"`

	// IdleTimeout is how long a connection is kept for the next request. Default
	// 2m; 0 is refused.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
}

// LogConfig is what is logged, on standard error.
type LogConfig struct {
	// Level is debug, info, warn or error. Default info.
	Level string `yaml:"level"`

	// Format is json, or console for people. Default json.
	Format string `yaml:"format"`

	// Requests is of which requests there is a record: all, errors (5xx) or none.
	// Default all.
	Requests string `yaml:"requests"`
}

// defaultConfig is decoded into, rather than merged afterwards, so that an
// explicit zero (retries: 0, language_param: "") stays one.
func defaultConfig() Config {
	return Config{
		Listen:      "127.0.0.1:8080",
		AdminListen: "127.0.0.1:9090",
		Upstream: UpstreamConfig{
			Dialect:       "tribe/events/v1",
			Namespace:     "tribe/events/v1",
			LanguageParam: "wpml_language",
			Timeout:       10 * time.Second,
			MaxBody:       32 << 20,
			MaxConcurrent: 64,
			Retries:       2,

			ConnectTimeout: 5 * time.Second,
			MaxQueue:       64,
			QueueTimeout:   time.Second,
			RetryPercent:   20,
			Breaker:        defaultBreaker(),
			MaxRetryAfter:  30 * time.Second,
		},
		Backends:        []BackendConfig{},
		Staging:         defaultStaging(),
		Cache:           defaultCache(),
		Docs:            DocsConfig{Page: true},
		Limits:          defaultLimits(),
		RateLimit:       RateConfig{Clients: 100_000, Shared: true},
		CORS:            CORSConfig{Origins: []string{"*"}, MaxAge: 10 * time.Minute},
		TLS:             TLSConfig{HSTS: 180 * 24 * time.Hour},
		TrustedProxies:  []string{},
		ForwardedHeader: "x-forwarded-for",
		Mode:            "read_write",
		Writes:          "any",
		UnknownParams:   "drop",
		Log:             LogConfig{Level: "info", Format: "json", Requests: "all"},
		ShutdownTimeout: 20 * time.Second,
	}
}

func defaultLimits() LimitsConfig {
	return LimitsConfig{
		MaxRequestBody: 1 << 20,
		MaxURL:         8 << 10,
		MaxHeader:      64 << 10,
		MaxBodies:      64 << 20,
		MaxUncached:    1024,
		MaxConnections: 10_000,
		HeaderTimeout:  10 * time.Second,
		ReadTimeout:    30 * time.Second,
		IdleTimeout:    2 * time.Minute,
	}
}
