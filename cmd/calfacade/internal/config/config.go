package config

import (
	"net/netip"
	"reflect"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Config is the configuration of one process, and the manual for it: the
// comment of a field gives its meaning, unit and default, and what zero means.
// A field whose comment names no default is required. docs/configuration.md is
// generated from these comments. The tags are the keys of the file, the defaults,
// the rules for values (see rules.go), and which keys name files or require a restart. Secrets
// print as ***, so a Config may be logged whole.
type Config struct {
	// Listen is the host:port for clients. An empty host means every interface.
	// Default 127.0.0.1:8080.
	Listen string `yaml:"listen" default:"127.0.0.1:8080" check:"address" restart:"yes"`

	// AdminListen is the host:port of the admin listener: /livez, /readyz,
	// /metrics, /purge, /staging and the status page. Any address but a loopback
	// address requires [Admin.Token]. Default 127.0.0.1:9090; empty disables the
	// listener.
	AdminListen string `yaml:"admin_listen" default:"127.0.0.1:9090" check:"?address" restart:"yes"`

	// HealthPaths serves /livez and /readyz of the admin listener on
	// [Config.Listen] too, and answers "OPTIONS /" of HTTP/1.0, the check of
	// HAProxy, like /readyz: for load balancers that check the port they use. These
	// requests are neither logged, counted nor limited. Default false.
	HealthPaths bool `yaml:"health_paths"`

	TLS TLS `yaml:"tls"`

	// TrustedProxies are the addresses and networks, such as 10.0.0.0/8, of the
	// proxies in front, which name the client in X-Forwarded-For. Default empty: the
	// client is the peer of the connection.
	TrustedProxies []netip.Prefix `yaml:"trusted_proxies"`

	// Writes is "any"; "need_credentials": a write without credentials gets a 401
	// from the facade, and no call is made; or "none": every write gets a 503.
	// Default any.
	Writes string `yaml:"writes" default:"any" check:"in any need_credentials none"`

	// Updates is "merge", or "as_is". With merge an update changes only the
	// attributes that it names: the facade reads the item first, with the client's
	// credentials. With as_is the facade sends the update unchanged, and the site
	// resets every attribute that the update does not name: it publishes drafts
	// and private events, and empties cost, website, flags, organizers and image.
	// Default merge.
	Updates string `yaml:"updates" default:"merge" check:"in merge as_is"`

	// PublicURL is the base of every link in a response: an http or https URL,
	// with a path if the facade is published below one. A host with letters outside
	// ASCII is written in punycode. The Host of a request is never used: a client
	// could choose it, and the cache would store it.
	PublicURL string `yaml:"public_url" check:"url"`

	// Languages are the languages served, at least one. The first is the default
	// language.
	Languages i18n.Languages `yaml:"languages"`

	Upstream Upstream `yaml:"upstream"`

	// Backends are further sites that can serve requests. Their calls are subject
	// to the limits of [Config.Upstream]. Default empty.
	Backends []Backend `yaml:"backends"`

	Staging Staging `yaml:"staging"`

	LegacyClients LegacyClients `yaml:"legacy_clients"`

	// PagesURL is the URL that replaces the legacy site in links to pages and images.
	// Directories of languages are kept below it. In requests, an image URL below it
	// is translated back. Default empty: these links stay unchanged.
	PagesURL string `yaml:"pages_url" check:"?url"`

	// LoginCookies sends WordPress login cookies and X-WP-Nonce of clients to the site,
	// as Authorization always is. Default false.
	LoginCookies bool `yaml:"login_cookies"`

	// DocsPage serves the documentation as a page at /docs below each root, and a start
	// page with links at /. The OpenAPI document at /doc is always served. Default
	// true.
	DocsPage bool `yaml:"docs_page" default:"true"`

	Cache  Cache  `yaml:"cache"`
	Edge   Edge   `yaml:"edge"`
	Admin  Admin  `yaml:"admin"`
	Limits Limits `yaml:"limits"`

	RateLimit RateLimit `yaml:"rate_limit"`
	CORS      edge.CORS `yaml:"cors"`

	// UnknownParams is the treatment of query parameters that are not part of the
	// API: "drop" ignores them, "report" also names them in X-Calendar-Dropped,
	// "reject" responds with 400. They never reach the site. Default drop.
	UnknownParams string `yaml:"unknown_params" default:"drop" check:"in drop report reject"`

	// Extensions allows the parts beyond the specification: the parameters fields and
	// texts, which select a view of a response, and the header field Idempotency-Key,
	// with which a create may be repeated. The documentation page and generators of
	// clients get their descriptions. Without it the parameters are subject to
	// [Config.UnknownParams], and the field has no effect. Default true.
	Extensions bool `yaml:"extensions" default:"true"`

	Log Log `yaml:"log"`

	// Lane serves plain cache hits from memory below net/http, with less than half
	// of the CPU. HTTP/2 does not use it. Default true.
	Lane bool `yaml:"lane" default:"true" restart:"yes"`

	// WatchInterval is the interval at which "calfacade serve" checks whether its
	// file, or a file that keys and variables name, has changed, and reloads it. If it
	// has an error, the previous configuration stays in use. Default 0s: only SIGHUP
	// reloads.
	WatchInterval time.Duration `yaml:"watch_interval" check:"range 0s" restart:"yes"`

	// DrainDelay is the time for which a shutdown keeps serving while /readyz
	// returns 503, so that load balancers notice before connections are refused.
	// Default 0s.
	DrainDelay time.Duration `yaml:"drain_delay" check:"range 0s"`

	// ShutdownTimeout is the maximum time for which a shutdown waits for requests
	// in flight, after [Config.DrainDelay]. Default 20s; 0 aborts them at once.
	ShutdownTimeout time.Duration `yaml:"shutdown_timeout" default:"20s" check:"range 0s"`
}

// Log selects the records that are written to standard error.
type Log struct {
	// Level is debug, info, warn or error. Default info.
	Level string `yaml:"level" default:"info" check:"in debug info warn error" restart:"yes"`

	// Format is json, console for people, or auto: console if standard error is a
	// terminal, else json. Default auto.
	Format string `yaml:"format" default:"auto" check:"in auto json console" restart:"yes"`

	// Requests selects the requests that are logged: all, errors (status 5xx) or
	// none. Default all.
	Requests string `yaml:"requests" default:"all" check:"in all errors none"`

	// Client selects how their records name the client: its address (full), its
	// network (/24 of IPv4, /48 of IPv6), which identifies no person, or none.
	// Default network.
	Client string `yaml:"client" default:"network" check:"in full network none"`
}

// LegacyClients serves clients that still use the API of the legacy site, in its names.
type LegacyClients struct {
	// Enabled serves the namespace of the legacy site, tribe/events/v1, beside the
	// neutral one: at the same roots, from the same cache and backends. Default false.
	Enabled bool `yaml:"enabled"`

	legacyclients.Options `yaml:",inline"`
}

// Default returns the defaults of every key. [Parse] decodes the file over them, so
// that an explicit zero (language_param: "") overrides a default.
func Default() Config {
	var c Config
	setDefaults(reflect.ValueOf(&c).Elem())
	c.Cache.TTL = tableTTLs()
	c.Cache.IgnoreCookies = slices.Clone(ignoredCookies)
	return c
}

// tableTTLs returns for each collection the time to live of its reads in the table, and for errors
// as long as a client may be without an item that the site has just got.
func tableTTLs() TTLs {
	t := TTLs{freshness.Errors: 10 * time.Second}
	for _, e := range mapping.Table {
		if e.TTL > 0 {
			t[e.Resource] = e.TTL
		}
	}
	return t
}

// ignoredCookies depend on no user: the response is the same for everybody.
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

// readingTime is the time that a client may take to read a response, and callTime the time that a request may take
// beside the [Upstream.Timeout] of its calls: a read before an update and the update wait in the queue.
const (
	readingTime = 30 * time.Second
	callTime    = 2*upstream.DefaultQueueTimeout + readingTime
)

func (c *Config) keys() []key { return keysBelow("", reflect.ValueOf(c).Elem()) }

// WriteTimeout returns the time that a client may take to read a response.
func (c Config) WriteTimeout() time.Duration { return 2*c.Upstream.Timeout + callTime }

// Changed returns the keys with different values, or different certificates in upstream.ca_file, and the keys
// among them that require a restart. Certificates of [TLS] are renewed with every reload.
func Changed(previous, next Config) (changed, restart []string) {
	theirs := next.keys()
	for i, k := range previous.keys() {
		sameFile := k.path != "upstream.ca_file" || previous.Upstream.CAs.Equal(next.Upstream.CAs)
		if sameFile && reflect.DeepEqual(k.value.Interface(), theirs[i].value.Interface()) {
			continue
		}
		changed = append(changed, k.path)
		if k.tag.Get("restart") != "" {
			restart = append(restart, k.path)
		}
	}
	return changed, restart
}

// Effective returns the configuration as YAML, for the status page: every key, with ***
// instead of secrets.
func Effective(c Config) string {
	text, err := yaml.Marshal(c)
	if err != nil {
		panic("BUG: the configuration is not YAML: " + err.Error())
	}
	return string(text)
}
