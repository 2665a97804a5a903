package config

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

	TLS TLS `yaml:"tls" envPrefix:"TLS_"`

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

	// Updates is "merge": an update changes what it names and nothing else, for which
	// the item is read first, with the writer's credentials. "as_is" sends it as it
	// comes, and the legacy resets what it does not name: it publishes drafts and
	// private events, and empties cost, website, flags, organizers and image. Default
	// merge.
	Updates string `yaml:"updates"`

	// UpdateHandling is "lenient", or "strict": an update that the site carried out
	// otherwise than it says is answered with 409, though it was made. A client can
	// choose by "Prefer: handling=strict". Default lenient.
	UpdateHandling string `yaml:"update_handling"`

	// PublicURL is what every link in an answer starts with: an http or https
	// URL, with a path if the facade is published below one. It is never taken
	// from a request's Host, which a client could choose and a cache would keep.
	PublicURL string `yaml:"public_url"`

	// Languages are the languages served, at least one; the first is the default.
	Languages []Language `yaml:"languages" envPrefix:"LANGUAGES"`

	Upstream Upstream `yaml:"upstream" envPrefix:"UPSTREAM_"`
	// Backends are other sites that can answer. Default none.
	Backends []Backend `yaml:"backends" env:"-"`
	Staging  Staging   `yaml:"staging" envPrefix:"STAGING_"`

	Rewrite Rewrite `yaml:"rewrite" envPrefix:"REWRITE_"`
	Auth    Auth    `yaml:"auth" envPrefix:"AUTH_"`
	Cache   Cache   `yaml:"cache" envPrefix:"CACHE_"`
	Admin   Admin   `yaml:"admin" envPrefix:"ADMIN_"`
	Docs    Docs    `yaml:"docs" envPrefix:"DOCS_"`
	Limits  Limits  `yaml:"limits" envPrefix:"LIMITS_"`

	RateLimit RateLimit `yaml:"rate_limit" envPrefix:"RATE_LIMIT_"`
	CORS      CORS      `yaml:"cors" envPrefix:"CORS_"`

	// UnknownParams is what becomes of query parameters the contract does not
	// name: "drop" ignores them, "reject" answers 400. They reach the upstream
	// in neither case. Default drop.
	UnknownParams string `yaml:"unknown_params"`

	Log Log `yaml:"log" envPrefix:"LOG_"`

	Tracing Tracing `yaml:"tracing" envPrefix:"TRACING_"`

	// ServerTiming tells clients in a header what their answer took: for finding
	// out, as it tells everybody. Default false.
	ServerTiming bool `yaml:"server_timing"`

	// Lane answers plain hits in memory below net/http, for half of what they cost; see
	// [lane.Lane]. Not under TLS, nor with a candidate, RateLimit.Reads, Tracing or
	// ServerTiming. Default true.
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

// Language is one language and where it lives, here and upstream.
type Language struct {
	// Code is one of the known languages: en, es, de, fr.
	Code string `yaml:"code"`

	// Root is the path prefix of this language at the facade, such as
	// /es/wp-json. Empty means that the namespace starts at the top. Languages
	// have different roots unless all that share one are selected by parameter.
	Root string `yaml:"root"`

	// Upstream is the legacy site's REST root for this language, an http or
	// https URL without credentials, since it appears in logs. It ends with the
	// site's prefix, such as /wp-json, or with ?rest_route=/ where the site has plain
	// permalinks.
	Upstream string `yaml:"upstream"`

	// Select is how the upstream is told the language: "path", by its own root
	// only; "parameter", by Upstream.LanguageParam only; "both". Default, and
	// what empty means, is both.
	Select i18n.Select `yaml:"select"`

	// SiteAliases are other spellings of the site of Upstream in the links of this
	// language, such as its domain with or without www. Default none.
	SiteAliases []string `yaml:"site_aliases"`

	// Tell is what the upstream calls the language in Upstream.LanguageParam, such as
	// de_DE. Default empty: Code.
	Tell string `yaml:"tell"`

	// Site names the WordPress site that Upstream is a root of. Languages of one site
	// show the same items: a write or a purge in one purges the answers of all. Name
	// each where they are sites of their own, which count their items alike and show
	// none of another. Default empty: all languages are one site, which is safe for
	// every set-up.
	Site string `yaml:"site"`
}

// Rewrite is what happens to links that are not the API's own.
type Rewrite struct {
	// Site is the URL that page and image links should point to instead of the
	// legacy site. Directories of languages stay below it. An image that a client
	// names by such a URL is named to the site by the site's own. Default empty,
	// which leaves those links as they are.
	Site string `yaml:"site"`
}

// Auth is which credentials pass besides the Authorization header.
type Auth struct {
	// Cookies passes WordPress login cookies and X-WP-Nonce. Default false.
	Cookies bool `yaml:"cookies"`
}

// Docs is how the interface is documented to people.
type Docs struct {
	// Page serves the documentation as a page at /docs, beside the document at
	// /doc, which is there in any case. Default true.
	Page bool `yaml:"page"`
}

// Log is what is logged, on standard error.
type Log struct {
	// Level is debug, info, warn or error. Default info.
	Level string `yaml:"level"`

	// Format is json, or console for people. Default json.
	Format string `yaml:"format"`

	// Requests is of which requests there is a record: all, errors (5xx) or none.
	// Default all.
	Requests string `yaml:"requests"`
}

// Tracing is whether spans are recorded. All else about them is said by the
// standard variables of OpenTelemetry, such as OTEL_EXPORTER_OTLP_ENDPOINT,
// OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and OTEL_TRACES_SAMPLER.
type Tracing struct {
	// Enabled sends spans by OTLP over HTTP. Default false, which still does so if
	// OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set.
	// OTEL_SDK_DISABLED=true wins over both.
	Enabled bool `yaml:"enabled"`
}

// Default is decoded into, rather than merged afterwards, so that an
// explicit zero (retries: 0, language_param: "") stays one.
func Default() Config {
	return Config{
		Listen:      "127.0.0.1:8080",
		AdminListen: "127.0.0.1:9090",
		Upstream: Upstream{
			Dialect:       "tribe/events/v1",
			Namespace:     "tribe/events/v1",
			LanguageParam: "wpml_language",
			Timeout:       10 * time.Second,
			MaxBody:       32 << 20,
			MaxConcurrent: 64,
			Retries:       2,

			ConnectTimeout: 5 * time.Second,
			MaxQueue:       64,
			ClientShare:    75,
			QueueTimeout:   time.Second,
			RetryPercent:   20,
			Breaker:        defaultBreaker(),
			MaxRetryAfter:  30 * time.Second,
		},
		Backends:        []Backend{},
		Staging:         defaultStaging(),
		Cache:           defaultCache(),
		Docs:            Docs{Page: true},
		Admin:           Admin{Hosts: []string{}},
		Lane:            true,
		Limits:          defaultLimits(),
		RateLimit:       RateLimit{FailedSignIns: Quota{30, time.Minute}, Clients: 100_000, Shared: true},
		CORS:            CORS{Origins: []string{"*"}, MaxAge: 10 * time.Minute},
		TLS:             TLS{HSTS: 180 * 24 * time.Hour},
		TrustedProxies:  []string{},
		ForwardedHeader: "x-forwarded-for",
		Mode:            "read_write",
		Writes:          "any",
		Updates:         "merge",
		UpdateHandling:  "lenient",
		UnknownParams:   "drop",
		Log:             Log{Level: "info", Format: "json", Requests: "all"},
		ShutdownTimeout: 20 * time.Second,
	}
}

// Codes are those of the languages.
func (c Config) Codes() []string {
	var codes []string
	for _, l := range c.Languages {
		codes = append(codes, l.Code)
	}
	return codes
}
