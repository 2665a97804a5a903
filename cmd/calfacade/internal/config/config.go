package config

import (
	"reflect"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Config is the configuration of one process, and the manual for it: the
// comment of a field gives its meaning, unit and default, and what zero means.
// A field whose comment names no default is required. docs/configuration.md is
// generated from these comments; the tags are the keys of the file. Secrets
// print as ***, so a Config may be logged whole.
type Config struct {
	// Listen is the host:port for clients. An empty host means every interface.
	// Default 127.0.0.1:8080.
	Listen string `yaml:"listen"`

	// AdminListen is the host:port of the admin listener: /livez, /readyz,
	// /metrics, /purge, /staging and the status page. Any address but a loopback
	// address requires [Admin.Token]. Default 127.0.0.1:9090; empty disables the
	// listener.
	AdminListen string `yaml:"admin_listen"`

	// HealthPaths serves /livez and /readyz of the admin listener on
	// [Config.Listen] too, and answers "OPTIONS /" of HTTP/1.0, the check of
	// HAProxy, like /readyz: for load balancers that check the port they use. These
	// requests are neither logged, counted nor limited. Default false.
	HealthPaths bool `yaml:"health_paths"`

	TLS TLS `yaml:"tls"`

	// TrustedProxies are the addresses and networks, such as 10.0.0.0/8, of the
	// proxies in front. [Config.ForwardedHeader] is read only on connections from
	// them. Default none: the client is the peer of the connection.
	TrustedProxies []string `yaml:"trusted_proxies"`

	// ForwardedHeader is the header field in which a trusted proxy names the
	// client: "x-forwarded-for", or
	// "forwarded". The other field is ignored, because a client could send it.
	// Default x-forwarded-for.
	ForwardedHeader string `yaml:"forwarded_header"`

	// Mode is "read_write", or "read_only": writes get a 503. Default read_write.
	Mode string `yaml:"mode"`

	// Writes is "any", or "need_credentials": a write without credentials gets a
	// 401 from the facade, and no call is made. Default any.
	Writes string `yaml:"writes"`

	// Updates is "merge", or "as_is". With merge an update changes only the
	// attributes that it names: the facade reads the item first, with the client's
	// credentials. With as_is the facade sends the update unchanged, and the site
	// resets every attribute that the update does not name: it publishes drafts
	// and private events, and empties cost, website, flags, organizers and image.
	// Default merge.
	Updates string `yaml:"updates"`

	// PublicURL is the base of every link in a response: an http or https URL,
	// with a path if the facade is published below one. A host with letters outside
	// ASCII is written in punycode. The Host of a request is never used: a client
	// could choose it, and the cache would store it.
	PublicURL string `yaml:"public_url"`

	// Languages are the languages served, at least one. The first is the default
	// language.
	Languages []i18n.Language `yaml:"languages"`

	Upstream Upstream `yaml:"upstream"`

	// Backends are further sites that can serve requests. Their calls are subject
	// to the limits of [Config.Upstream]. Default none.
	Backends []Backend `yaml:"backends"`

	Staging Staging `yaml:"staging"`

	LegacyClients LegacyClients `yaml:"legacy_clients"`

	Rewrite Rewrite `yaml:"rewrite"`
	Auth    Auth    `yaml:"auth"`
	Cache   Cache   `yaml:"cache"`
	Edge    Edge    `yaml:"edge"`
	Admin   Admin   `yaml:"admin"`
	Docs    Docs    `yaml:"docs"`
	Limits  Limits  `yaml:"limits"`

	RateLimit RateLimit `yaml:"rate_limit"`
	CORS      edge.CORS `yaml:"cors"`

	// UnknownParams is the treatment of query parameters that are not part of the
	// API: "drop" ignores them, "report" also names them in X-Calendar-Dropped,
	// "reject" responds with 400. They never reach the site. Default drop.
	UnknownParams string `yaml:"unknown_params"`

	Log Log `yaml:"log"`

	// ServerTiming adds the header field Server-Timing, for debugging: it shows
	// every client where its response came from, and how long each part took.
	// Default false.
	ServerTiming bool `yaml:"server_timing"`

	// Lane serves plain cache hits from memory below net/http, with less than half
	// of the CPU. HTTP/2 does not use it. Default true.
	Lane bool `yaml:"lane"`

	// WatchInterval is the interval at which "calfacade serve" checks whether its
	// file has changed, and reloads it. If the file has an error, the previous
	// configuration stays in use. Default 0s: only SIGHUP reloads.
	WatchInterval time.Duration `yaml:"watch_interval"`

	// DrainDelay is the time for which a shutdown keeps serving while /readyz
	// returns 503, so that load balancers notice before connections are refused.
	// Default 0s.
	DrainDelay time.Duration `yaml:"drain_delay"`

	// ShutdownTimeout is the maximum time for which a shutdown waits for requests
	// in flight, after [Config.DrainDelay]. Default 20s; 0 aborts them at once.
	ShutdownTimeout time.Duration `yaml:"shutdown_timeout"`

	files map[string]digest // of the files that keys name, by the path of the key
}

// Rewrite selects how links to the pages and images of the site are rewritten.
type Rewrite struct {
	// Site is the URL that replaces the legacy site in links to pages and images.
	// Directories of languages are kept below it. In requests, an image URL below it
	// is translated back. Default empty: these links stay unchanged.
	Site string `yaml:"site"`
}

// Auth selects the credentials of clients that are sent to the site besides
// Authorization.
type Auth struct {
	// Cookies sends WordPress login cookies and X-WP-Nonce to the site. Default
	// false.
	Cookies bool `yaml:"cookies"`
}

// Docs configures the pages that document the API.
type Docs struct {
	// Page serves the documentation as a page at /docs below each root, and a start
	// page with links at /. The OpenAPI document at /doc is always served. Default
	// true.
	Page bool `yaml:"page"`
}

// Log selects the records that are written to standard error.
type Log struct {
	// Level is debug, info, warn or error. Default info.
	Level string `yaml:"level"`

	// Format is json, console for people, or auto: console if standard error is a
	// terminal, else json. A terminal shows levels in colours unless NO_COLOR is
	// set. Default auto.
	Format string `yaml:"format"`

	// Requests selects the requests that are logged: all, errors (status 5xx) or
	// none. Default all.
	Requests string `yaml:"requests"`

	// Client is what their records say of the client: its address (full), its
	// network (/24 of IPv4, /48 of IPv6), which identifies no person, or none.
	// Default network.
	Client string `yaml:"client"`
}

// Codes returns the codes of the languages, in their order.
func (c Config) Codes() []string {
	var codes []string
	for _, l := range c.Languages {
		codes = append(codes, l.Code)
	}
	return codes
}

// Default returns the defaults of every key. [Parse] decodes the file over them, so
// that an explicit zero (retries: 0, language_param: "") overrides a default.
func Default() Config {
	return Config{
		Listen:          "127.0.0.1:8080",
		AdminListen:     "127.0.0.1:9090",
		TrustedProxies:  []string{},
		ForwardedHeader: "x-forwarded-for",
		Mode:            "read_write",
		Writes:          "any",
		Updates:         "merge",
		Upstream: Upstream{
			Dialect:       "tribe/events/v1",
			Namespace:     "tribe/events/v1",
			LanguageParam: "wpml_language",
			Timeout:       10 * time.Second,
			MaxConcurrent: 16,
		},
		Backends: []Backend{},
		Staging: Staging{
			Rules:    []staging.Rule{},
			Compare:  Compare{Ignore: []string{}},
			Rollback: staging.Rollback{Errors: 5},
		},
		LegacyClients: LegacyClients{Off: []string{}, Brownouts: []Brownout{}},
		Cache: Cache{
			RedisTimeout: 250 * time.Millisecond,
			Prefix:       "calfacade",
			WithoutRedis: "serve",
			Memory:       256 << 20,
			Options: freshness.Options{
				TTL:                  tableTTLs(),
				StaleWhileRevalidate: 5 * time.Minute,
				StaleIfError:         24 * time.Hour,
				Negative:             10 * time.Second,
				IgnoreCookies:        slices.Clone(ignoredCookies),
			},
		},
		Edge: Edge{
			Tags: "none", Lifetime: "cache-control", SMaxAge: noLimit, Purge: []PurgeTarget{},
		},
		Admin: Admin{Hosts: []string{}},
		Docs:  Docs{Page: true},
		Limits: Limits{
			MaxRequestBody:       1 << 20,
			MaxConnections:       10_000,
			MaxClientConnections: 1000,
			IdleTimeout:          2 * time.Minute,
		},
		RateLimit:       RateLimit{FailedSignIns: Quota{30, time.Minute}},
		CORS:            edge.CORS{Origins: []string{"*"}, Headers: []string{}},
		UnknownParams:   "drop",
		Log:             Log{Level: "info", Format: "auto", Requests: "all", Client: "network"},
		Lane:            true,
		ShutdownTimeout: 20 * time.Second,
	}
}

// tableTTLs returns for each collection the time to live of its reads in the table.
func tableTTLs() TTLs {
	t := TTLs{}
	for i := range mapping.Table {
		if e := &mapping.Table[i]; e.TTL > 0 {
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

// Start is the part of a configuration that a process reads once: its listeners,
// log, traces and servers. These use nothing else of the configuration, so a
// reload that leaves Start unchanged can ignore them.
type Start struct {
	Listen, AdminListen string

	TLS    TLS
	Log    Log // without Requests, which is reloaded
	Server Server

	MaxConnections, MaxClientConnections int

	Lane          bool
	WatchInterval time.Duration
}

// Server bounds how long a client may take.
type Server struct{ WriteTimeout, IdleTimeout time.Duration }

// whole is the time that a call on the site may take beside [Upstream.Timeout]: in the queue, for a read
// before an update and for the update, and until the client has the response.
const whole = 32 * time.Second

// AtStart returns what a process that starts with the configuration reads of it.
func (c Config) AtStart() Start {
	return Start{
		Listen: c.Listen, AdminListen: c.AdminListen,
		TLS:            c.TLS,
		Log:            Log{Level: c.Log.Level, Format: c.Log.Format},
		Server:         Server{WriteTimeout: 2*c.Upstream.Timeout + whole, IdleTimeout: c.Limits.IdleTimeout},
		MaxConnections: c.Limits.MaxConnections, MaxClientConnections: c.Limits.MaxClientConnections,
		Lane:          c.Lane,
		WatchInterval: c.WatchInterval,
	}
}

// Changed returns the keys whose values differ, or the contents of the files that they name, in their order, and those among
// them that require a restart: with them the process would have started
// differently.
func Changed(before, after Config) (changed, restart []string) {
	// now becomes after, one key at a time.
	now := before
	was := now.AtStart()
	theirs := slices.Collect(keyValues("", &after))
	for i, k := range slices.Collect(keyValues("", &now)) {
		if reflect.DeepEqual(k.value.Interface(), theirs[i].value.Interface()) && before.files[k.path] == after.files[k.path] {
			continue
		}
		changed = append(changed, k.path)
		k.value.Set(theirs[i].value)
		if is := now.AtStart(); is != was {
			restart, was = append(restart, k.path), is
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
