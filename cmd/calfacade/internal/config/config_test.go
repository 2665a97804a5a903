package config

import (
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/staging"
)

func TestLoadConfig(t *testing.T) {
	full := Config{
		Listen:      ":80",
		AdminListen: "[::1]:90",
		PublicURL:   "https://api.example.org/calendar",
		Languages: i18n.Languages{
			{Code: "de", Upstream: "https://legacy.example.org/wp-json", Select: "parameter", Tell: "de_DE", Site: "main"},
			{Code: "fr", Upstream: "https://legacy.example.org/wp-json", Select: "parameter",
				Aliases: []string{"https://www.example.fr"}, Site: "main"},
		},
		Upstream: Upstream{
			Dialect:       "tribe/events/v1",
			LanguageParam: "lang",
			Timeout:       90 * time.Second,
			MaxConcurrent: 1,

			Host: "www.example.org", BasicAuth: NewSecret("staging:a-password"), Authorization: "X-Authorization",
			Headers: NewSecrets([]string{"X-Key: a-key", "X-Forwarded-Proto: https"}),

			WordPressURL: "https://www.example.org/core",
		},
		Backends: []Backend{{
			Name: "new", Dialect: "calendar/events/v1", LanguageParam: "i18n_language",
			Upstreams:   map[string]string{"de": "https://new.example.org/index.php?rest_route="},
			Tell:        map[string]string{"de": "de_AT"},
			SiteAliases: []string{"http://new.example.org"},
		}},
		Staging: Staging{
			Candidate: "new",
			Rules: []staging.Rule{
				{Setting: staging.Setting{State: "shadow"}},
				{Selection: staging.Selection{Ops: []staging.Op{"read"}, Resources: []string{"events"}, Languages: []string{"de"}},
					Setting: staging.Setting{State: "canary", Percent: 10}},
			},
			Force:       true,
			Compare:     Compare{Ignore: []string{"a"}},
			Rollback:    staging.Rollback{Errors: 1},
			TesterToken: NewSecret("testing-0123456789abcdef"),
		},
		LegacyClients: LegacyClients{
			Enabled: true,
			Options: legacyclients.Options{
				Deprecated: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC), Sunset: time.Date(2027, 6, 30, 12, 0, 0, 0, time.UTC),
				Off: []string{"tags"},
				Brownouts: []legacyclients.Brownout{{From: time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC),
					To:    time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC),
					Daily: legacyclients.Hours{From: 9 * time.Hour, To: 10*time.Hour + 30*time.Minute}, Percent: 5,
					Resources: []string{"venues"}}},
			},
		},
		PagesURL: "https://www.example.org", LoginCookies: true,
		Cache: Cache{
			Redis:        NewSecrets([]string{"redis://:password@a.example.org:6379", "redis://:password@b.example.org:6379"}),
			RedisTimeout: 400 * time.Millisecond, ReadLogEvery: 2 * time.Second, Prefix: "site-2", WithoutRedis: "fetch", Memory: 1 << 30,
			Options: freshness.Options{
				TTL: TTLs{"events": time.Second, "venues": 2 * time.Second, "organizers": 3 * time.Second,
					"categories": 4 * time.Second, "tags": 0, "errors": 0},
				StaleWhileRevalidate: time.Minute,
				IgnoreCookies:        []string{"PHPSESSID", "node_*"}, SiteHeaders: freshness.Obey,
			},
			SiteZone: "Europe/London",
		},
		Edge: Edge{
			Surrogate: freshness.Surrogate{Tags: "cache-tag", Prefix: "site-2", Lifetime: "cdn-cache-control", SMaxAge: 20 * time.Second},
			Purge: []PurgeTarget{{
				Target: onward.Target{Name: "front", Kind: onward.Cloudflare, URL: "https://cdn.example.org/v4", ID: "abc123",
					Repeat: 5 * time.Second},
				Token: NewSecret("of-the-api"), Rate: edge.Quota{Requests: 25, Window: 5 * time.Second},
			}},
		},
		Admin:  Admin{Token: NewSecret("another-0123456789abcdef"), Hosts: []string{"metrics.example.org"}},
		Limits: Limits{MaxClientConnections: 7, IdleTimeout: 4 * time.Second},
		RateLimit: RateLimit{Reads: edge.Quota{Requests: 600, Window: time.Minute}, Writes: edge.Quota{Requests: 10, Window: time.Second},
			FailedSignIns: edge.Quota{Requests: 5, Window: time.Minute}},
		CORS: edge.CORS{Origins: []string{"https://www.example.org", "https://*.example.net:8443"}, Credentials: true,
			Headers: []string{"X-Shop"}},
		TLS:            TLS{CertFile: "/etc/c.pem", KeyFile: "/etc/k.pem"},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::1/128")},
		Writes:         "none",
		Updates:        "merge",
		UnknownParams:  "reject",
		Log:            Log{Level: "debug", Format: "console", Requests: "errors", Client: "none"},
		HealthPaths:    true,
		Lane:           false,
	}
	for file, want := range map[string]Config{
		"testdata/full.yaml": full,
		minimalFile:          minimalConfig(),
	} {
		got, err := Load(file, []string{"HOME=/root", "calfacade_listen=x", "CALFACADE"})
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Backend{}), networks); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestLoadConfigNoFile(t *testing.T) {
	_, err := Load("testdata/none.yaml", nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

// An explicit empty value or zero is not replaced by the default.
func TestParseConfigExplicitZero(t *testing.T) {
	const zeros = "\nadmin_listen: ''\nupstream: {language_param: ''}\n"
	got, err := Parse("c.yaml", []byte(readFile(t, minimalFile)+zeros), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := minimalConfig()
	want.AdminListen = ""
	want.Upstream.LanguageParam = ""
	if diff := cmp.Diff(want, got, networks); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseConfigEnvOnly(t *testing.T) {
	for _, data := range []string{"", "# nothing\n", "{}"} {
		got, err := Parse("c.yaml", []byte(data), []string{
			"CALFACADE_PUBLIC_URL=https://api.example.org",
			"CALFACADE_LANGUAGES_0_CODE=en",
			"CALFACADE_LANGUAGES_0_ROOT=/wp-json",
			"CALFACADE_LANGUAGES_0_UPSTREAM=https://legacy.example.org/wp-json",
		})
		if err != nil {
			t.Errorf("%q: %v", data, err)
		}
		if diff := cmp.Diff(minimalConfig(), got, networks); diff != "" {
			t.Errorf("%q (-want +got):\n%s", data, diff)
		}
	}
}

// Errors in the document: all of them, with lines, without Go's type names.
func TestParseConfigBadYAML(t *testing.T) {
	const (
		atTop = "unknown key: want one of admin, admin_listen, backends, cache, cors, docs_page, drain_delay, edge, extensions, health_paths, lane, " +
			"languages, legacy_clients, limits, listen, log, login_cookies, pages_url, public_url, rate_limit, " +
			"shutdown_timeout, staging, tls, trusted_proxies, unknown_params, updates, upstream, watch_interval, writes"
		inAdmin    = "unknown key: want one of hosts, purge_token, token"
		inLanguage = "unknown key: want one of code, root, select, site, site_aliases, tell, upstream"
		inUpstream = "unknown key: want one of allow_plain_http, authorization, basic_auth, ca_file, dialect, headers, host, " +
			"language_param, max_concurrent, timeout, wordpress_url"
	)
	tests := []struct{ name, data, want string }{
		{"syntax", "listen: [", "c.yaml: yaml: line 1: did not find expected node content"},
		{"no mapping", "hello", "c.yaml: line 1: expected a mapping"},
		{"unknown key", "\nlistne: :80", "c.yaml: line 2: " + atTop},
		{"unknown key below", "upstream:\n  max_redirects: 3", "c.yaml: line 2: " + inUpstream},
		{"misspelled key in a list", "languages:\n  - {code: en, rooot: /, upstream: 'https://a'}\npublic_url: https://b",
			"c.yaml: line 2: " + inLanguage},
		{"unknown key in a list", "languages:\n  - {code: en, upstream: 'https://a',\n     lang: en}\npublic_url: https://b",
			"c.yaml: line 3: " + inLanguage},
		{"key twice", "listen: :80\nlisten: :81", `c.yaml: line 2: a key is already defined at line 1`},
		{"list for a string", "listen: [a]", "c.yaml: line 1: expected a text"},
		{"mapping for a list", "languages: {code: en}", "c.yaml: line 1: expected a list of mappings"},
		{"string for a mapping", "log: info", "c.yaml: line 1: expected a mapping"},
		{"string for a list", "cors:\n  origins: x", `c.yaml: line 2: expected a list of texts`},
		{"string for a number", "upstream:\n  max_concurrent: two", `c.yaml: line 2: expected a whole number`},
		{"string for a boolean", "login_cookies: maybe", `c.yaml: line 1: expected true or false`},
		{"duration without a unit", "shutdown_timeout: 20", `c.yaml: line 1: expected a duration, such as 10s`},
		{"size", "cache:\n  memory: long", `c.yaml: line 2: expected a size such as 32MiB, 1MB or 1048576`},
		{"negative size", "cache:\n  memory: -1", `c.yaml: line 2: expected a size such as 32MiB, 1MB or 1048576`},
		{"huge size", "cache:\n  memory: 8EiB", `c.yaml: line 2: expected a size such as 32MiB, 1MB or 1048576`},
		{"list for a size", "cache:\n  memory: [1]", "c.yaml: line 2: expected a size such as 32MiB, 1MB or 1048576"},
		{"removed key", "cache:\n  share_languages: false", "c.yaml: line 2: unknown key: share_languages is always on now, " +
			"so delete it; where languages are WordPress sites of their own, name these in languages[].site"},
		{"removed section", "rewrite: {site: x}", "c.yaml: line 1: unknown key: set pages_url to the value of rewrite.site"},
		{"file of a removed secret", "upstream:\n  password_file: x",
			"c.yaml: line 2: unknown key: set upstream.basic_auth to user:password"},
		{"unknown collection", "cache:\n  ttl: {events: 1s,\n    event: 1s}", `c.yaml: line 3: unknown key`},
		{"collection twice", "cache:\n  ttl: {events: 1s,\n    events: 1s}", `c.yaml: line 3: a key is already defined at line 2`},
		{"ttl", "cache: {ttl: {events: soon, tags: later}}", "c.yaml: line 1: expected a duration, such as 10s\n" +
			"c.yaml: line 1: expected a duration, such as 10s"},
		{"duration for all ttl", "cache:\n  ttl: 60s", "c.yaml: line 2: expected a mapping such as {events: 60s}"},
		{"mapping for redis", "cache:\n  redis: {url: opensesame}", "c.yaml: line 2: expected a text or a list of texts"},
		{"mapping in a list for redis", "cache:\n  redis: [{url: opensesame}]", "c.yaml: line 2: expected a text"},
		{"list for a token", "admin:\n  token: [opensesame]", "c.yaml: line 2: expected a text"},
		{"token for admin", "admin: opensesame", "c.yaml: line 1: expected a mapping"},
		{"fraction", "upstream:\n  max_concurrent: 1.5", "c.yaml: line 2: fractions are not allowed"},
		{"no value", "upstream:\n  language_param:",
			`c.yaml: line 2: a key has no value: write "" or [] for empty, or delete the key for its default`},
		{"no value in one line", "admin: {token: abc, def}", "c.yaml: line 1: " + inAdmin},
		{"quote missing", "log:\n  level: 'info\nadmin:\n  token: opensesame\nwrites: any'",
			"c.yaml: line 2: a text does not end in its line: is a quote missing, or is the next line indented too much?"},
		{"indented too much", "upstream:\n  host: a\n    b",
			"c.yaml: line 2: a text does not end in its line: is a quote missing, or is the next line indented too much?"},
		{"anchor", "admin: {token: *abc}", "c.yaml: yaml: unknown anchor: a text that begins with * needs quotes"},
		{"tag", "admin: {token: !abc def}", "c.yaml: line 1: admin.token: tags are not allowed: a text that begins with ! needs quotes"},
		{"merge", "admin: {<<: opensesame}", "c.yaml: line 1: " + inAdmin},
		{"second document", "listen: :80\n---\nlisten: :81", "c.yaml: only one YAML document is allowed"},
		{"unknown key beside wrong values", "public_url: x\nlanguages: [{code: en, upstream: 'https://a'}]\nb: 2\nlog: {level: loud}",
			"c.yaml: line 3: " + atTop + "\n" +
				"public_url: is not an absolute http or https URL\n" +
				`log.level: "loud" is not one of debug, info, warn, error`},
		{"several", "a: 1\ncache:\n  redis_timeout: soon\n  memory: big\nb: 2", "c.yaml: line 1: " + atTop + "\n" +
			"c.yaml: line 3: expected a duration, such as 10s\n" +
			"c.yaml: line 4: expected a size such as 32MiB, 1MB or 1048576\n" +
			"c.yaml: line 5: " + atTop},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("c.yaml", []byte(tt.data), nil)
			checkError(t, err, tt.want)
		})
	}
}

// brokenRedisURL is the error of every URL that go-redis does not parse: it quotes nothing.
const brokenRedisURL = "cache.redis: redis URL 1: must be redis://USER:PASSWORD@HOST:PORT/DATABASE, rediss:// for TLS, or unix:///PATH, " +
	"with special characters percent-encoded and no parameters but ca_file, cert_file, key_file, master_name, password, " +
	"username, client_name, db, pool_size, skip_verify"

// Values of the right type that make no sense. The case is laid over
// minimalFile by the environment, so this tests setting them as well.
func TestValidate(t *testing.T) {
	const (
		notURL   = "is not an absolute http or https URL"
		userinfo = "must not contain a user or password, because URLs are logged"
		pathForm = "must have no empty or dot segments in its path, and no slash at its end"
		rootForm = "is neither empty nor a path such as /es/wp-json: segments of letters, digits, - . _ ~, no slash at its end"
		token    = "must have at least 16 ASCII characters, without spaces"
		zone     = "is not the name of a time zone such as Europe/London"
		shared   = "is also the root of languages[0], which is possible only if both have select: parameter"

		cookieForm = "is neither a name of a cookie nor a prefix followed by *"
	)
	spanish := "LANGUAGES_1_CODE=es LANGUAGES_1_UPSTREAM=https://legacy.example.org/es/wp-json "
	tests := []struct{ env, want string }{
		{"LISTEN=8080", `listen: "8080" is not an address such as 127.0.0.1:8080`},
		{"LISTEN=:http", `listen: ":http" is not an address such as 127.0.0.1:8080`},
		{"LISTEN=:65536", `listen: ":65536" is not an address such as 127.0.0.1:8080`},
		{"LISTEN=", `listen: "" is not an address such as 127.0.0.1:8080`},
		{"ADMIN_LISTEN=", ""},
		{"ADMIN_LISTEN=localhost:0", ""},
		{"ADMIN_LISTEN=x", `admin_listen: "x" is not an address such as 127.0.0.1:8080`},
		{"ADMIN_LISTEN=:90", `admin_listen: ":90" is not a loopback address, which requires an admin.token`},
		{"ADMIN_LISTEN=10.0.0.1:90", `admin_listen: "10.0.0.1:90" is not a loopback address, which requires an admin.token`},

		{"ADMIN_LISTEN=:90 ADMIN_TOKEN=0123456789abcdef", ""},
		{"ADMIN_LISTEN=:90 ADMIN_TOKEN=opensesame", "admin.token: " + token},
		{"ADMIN_TOKEN=opensesame", "admin.token: " + token},
		{"ADMIN_TOKEN=opensesame-ä-0123456789", "admin.token: " + token},
		{"ADMIN_TOKEN=\"\"", ""},
		{"ADMIN_PURGE_TOKEN=opensesame", "admin.purge_token: " + token},
		{"ADMIN_PURGE_TOKEN=0123456789abcdef ADMIN_TOKEN=0123456789abcdef",
			"admin.purge_token: must differ from admin.token and staging.tester_token, which have other privileges"},

		{"PUBLIC_URL=", "public_url: is required"},
		{"PUBLIC_URL=api.example.org", "public_url: " + notURL},
		{"PUBLIC_URL=ftp://api.example.org", "public_url: " + notURL},
		{"PUBLIC_URL=https://:80", "public_url: " + notURL},
		{"PUBLIC_URL=https:///", "public_url: " + notURL},
		{"PUBLIC_URL=https://ü\u200eber.example", "public_url: has a host that is no domain name"},
		{"PUBLIC_URL=https://api.example.org/a?", "public_url: must have no query and no fragment"},
		{"PUBLIC_URL=https://api.example.org/a#", "public_url: must have no query and no fragment"},
		{"PUBLIC_URL=https://api.example.org/a/../b", "public_url: " + pathForm},
		{"PUBLIC_URL=https://api.example.org//b", "public_url: " + pathForm},
		{"PUBLIC_URL=https://api.example.org/ü", "public_url: must have its path percent-encoded"},
		{"PUBLIC_URL=https://api.example.org/%C3%BC", ""},

		{"LANGUAGES_0_CODE=xx", `languages[0].code: "xx" is not one of en, es, de, fr`},
		{"LANGUAGES_0_ROOT=", ""},
		{"LANGUAGES_0_ROOT=/", `languages[0].root: "/" ` + rootForm},
		{"LANGUAGES_0_ROOT=wp-json", `languages[0].root: "wp-json" ` + rootForm},
		{"LANGUAGES_0_ROOT=/wp-json/", `languages[0].root: "/wp-json/" ` + rootForm},
		{"LANGUAGES_0_ROOT=/a//b", `languages[0].root: "/a//b" ` + rootForm},
		{"LANGUAGES_0_ROOT=/a/../b", `languages[0].root: "/a/../b" ` + rootForm},
		{"LANGUAGES_0_ROOT=/.", `languages[0].root: "/." ` + rootForm},
		{"LANGUAGES_0_ROOT=/a%2Fb", `languages[0].root: "/a%2Fb" ` + rootForm},
		{"LANGUAGES_0_ROOT=/:id", `languages[0].root: "/:id" ` + rootForm},
		{"LANGUAGES_0_ROOT=/.well-known/a..b", ""},
		{"LANGUAGES_0_UPSTREAM=", "languages[0].upstream: is required"},
		{"LANGUAGES_0_UPSTREAM=https://ann:s3cret@legacy.example.org/wp-json", "languages[0].upstream: " + userinfo},
		{"LANGUAGES_0_UPSTREAM=https://ann:s3%zz@legacy.example.org/wp-json", "languages[0].upstream: " + notURL},
		{"LANGUAGES_0_UPSTREAM=https://legacy.example.org/api/", ""},
		{"LANGUAGES_0_UPSTREAM=https://legacy.example.org/?rest_route=/", ""},
		{"LANGUAGES_0_UPSTREAM=https://legacy.example.org/?lang=en&rest_route=/",
			"languages[0].upstream: must have no query and no fragment, except ?rest_route=/ at the end"},
		{"LANGUAGES_0_UPSTREAM=https://legacy.example.org/index.php?rest_route=/wp/v2",
			"languages[0].upstream: must have no query and no fragment, except ?rest_route=/ at the end"},
		{"LANGUAGES_0_UPSTREAM=https://ann:s3cret@legacy.example.org/?rest_route=/", "languages[0].upstream: " + userinfo},
		{"LANGUAGES_0_UPSTREAM=legacy.example.org/?rest_route=/", "languages[0].upstream: " + notURL},
		{"LANGUAGES_0_UPSTREAM=https://legacy.example.org//blog/?rest_route=/", "languages[0].upstream: " + pathForm},
		{"LANGUAGES_0_SELECT=cookie", `languages[0].select: "cookie" is not one of path, parameter, both`},
		{"LANGUAGES_0_SELECT=parameter UPSTREAM_LANGUAGE_PARAM=",
			"languages[0].select: parameter requires upstream.language_param, which is empty"},
		{"LANGUAGES_0_TELL=de+DE", `languages[0].tell: "de+DE" is neither empty nor made of letters, digits, - and _`},
		{spanish + "LANGUAGES_1_ROOT=/es LANGUAGES_1_TELL=es_ES", ""},
		{spanish + "LANGUAGES_1_ROOT=/es LANGUAGES_1_TELL=en", `languages[1].tell: "en" is also the name of languages[0] at the site`},
		{"LANGUAGES_0_SITE=a.b", `languages[0].site: "a.b" is neither empty nor made of a-z, 0-9 and -`},
		{spanish + "LANGUAGES_1_ROOT=/es LANGUAGES_1_SITE=two", ""},
		{spanish + "LANGUAGES_1_ROOT=/es LANGUAGES_1_SITE=two LANGUAGES_1_UPSTREAM=https://legacy.example.org/wp-json",
			`languages[1].site: "two" is not that of languages[0], which has the same upstream`},
		{spanish + "LANGUAGES_1_CODE=en", `languages[1].code: "en" is also the code of languages[0]`},
		{spanish + "LANGUAGES_1_ROOT=/wp-json", `languages[1].root: "/wp-json" ` + shared},
		{spanish + "LANGUAGES_1_ROOT=/wp-json LANGUAGES_1_SELECT=parameter", `languages[1].root: "/wp-json" ` + shared},
		{spanish + "LANGUAGES_1_ROOT=/wp-json LANGUAGES_1_SELECT=parameter LANGUAGES_0_SELECT=parameter", ""},

		{"UPSTREAM_LANGUAGE_PARAM=a&b", `upstream.language_param: "a&b" is neither empty nor a name of a-z, 0-9 and _`},
		{"UPSTREAM_TIMEOUT=0s", "upstream.timeout: must be more than 0, but is 0s"},
		{"UPSTREAM_MAX_CONCURRENT=-1", "upstream.max_concurrent: must be more than 0, but is -1"},
		{"UPSTREAM_WORDPRESS_URL=https://legacy.example.org/?p=1", "upstream.wordpress_url: must have no query and no fragment"},
		{"LANGUAGES_0_SITE_ALIASES=http://a.example.org,b", "languages[0].site_aliases[1]: " + notURL},
		{"PAGES_URL=b", "pages_url: " + notURL},
		{"CACHE_REDIS=redis://u:opensesame@127.0.0.1:1/0", ""},
		{"CACHE_REDIS=redis://:opensesame@a:1,redis://:opensesame@b:1", ""},
		{"CACHE_REDIS=http://u:opensesame@127.0.0.1", brokenRedisURL},
		{"CACHE_REDIS=redis://a,redis://:opensesame@b", "cache.redis: redis URL 2: differs from the first in more than its host and port"},
		{"CACHE_REDIS=redis://:open%sesame@a", brokenRedisURL},
		{"CACHE_PREFIX=", `cache.prefix: "" is not made of letters, digits, - . and _`},
		{"CACHE_PREFIX=a:b", `cache.prefix: "a:b" is not made of letters, digits, - . and _`},
		{"CACHE_MEMORY=0", "cache.memory: must be more than 0, but is 0"},
		{"CACHE_TTL_EVENTS=-1s", "cache.ttl.events: must not be negative, but is -1s"},
		{"CACHE_TTL_TAGS=0s", ""},
		{"CACHE_STALE_WHILE_REVALIDATE=-1s", "cache.stale_while_revalidate: must not be negative, but is -1s"},
		{"CACHE_STALE_IF_ERROR=-1s", "cache.stale_if_error: must not be negative, but is -1s"},
		{"CACHE_TTL_ERRORS=-1s", "cache.ttl.errors: must not be negative, but is -1s"},
		{"CACHE_REDIS_TIMEOUT=4ms", `cache.redis_timeout: must be from 5ms to 5s, but is 4ms`},
		{"CACHE_REDIS_TIMEOUT=6s", `cache.redis_timeout: must be from 5ms to 5s, but is 6s`},
		{"CACHE_READ_LOG_EVERY=11s", `cache.read_log_every: must be from 0s to 10s, but is 11s`},
		{"CACHE_WITHOUT_REDIS=", `cache.without_redis: "" is not one of serve, fetch`},
		{"CACHE_ZONE=Europe/Atlantis", `cache.zone: "Europe/Atlantis" ` + zone},
		{"CACHE_ZONE=Local", `cache.zone: "Local" ` + zone},
		{"CACHE_ZONE=Pacific/Chatham", ""},
		{"CACHE_IGNORE_COOKIES=", ""},
		{"CACHE_IGNORE_COOKIES=PHPSESSID,node_*,*", ""},
		{"CACHE_IGNORE_COOKIES=a*b", `cache.ignore_cookies[0]: "a*b" ` + cookieForm},
		{"CACHE_IGNORE_COOKIES=a,b=c", `cache.ignore_cookies[1]: "b=c" ` + cookieForm},
		{"CACHE_IGNORE_COOKIES=a,", `cache.ignore_cookies[1]: "" ` + cookieForm},
		{"CACHE_IGNORE_COOKIES=wordpress_logged_in_*",
			`cache.ignore_cookies[0]: "wordpress_logged_in_*" authenticates a user: responses with it are never shared`},
		{"CACHE_SITE_HEADERS=ignore", ""},
		{"UNKNOWN_PARAMS=keep", `unknown_params: "keep" is not one of drop, report, reject`},
		{"LOG_LEVEL=trace", `log.level: "trace" is not one of debug, info, warn, error`},
		{"LOG_CLIENT=ip", `log.client: "ip" is not one of full, network, none`},
		{"LOG_REQUESTS=5xx", `log.requests: "5xx" is not one of all, errors, none`},
		{"LOG_FORMAT=", `log.format: "" is not one of auto, json, console`},
		{"WATCH_INTERVAL=-1s", "watch_interval: must not be negative, but is -1s"},
		{"DRAIN_DELAY=-1s", "drain_delay: must not be negative, but is -1s"},
		{"SHUTDOWN_TIMEOUT=-1s", "shutdown_timeout: must not be negative, but is -1s"},
		{"SHUTDOWN_TIMEOUT=0s", ""},
		{"LOG_LEVEL=x LISTEN=x", "listen: \"x\" is not an address such as 127.0.0.1:8080\n" +
			"log.level: \"x\" is not one of debug, info, warn, error"},
	}
	minimal := []byte(readFile(t, minimalFile))
	for _, tt := range tests {
		t.Run(tt.env, func(t *testing.T) {
			_, err := Parse("c.yaml", minimal, calfacadeEnv(tt.env))
			checkError(t, err, tt.want)
		})
	}
}

// TestPublicURLIsASCII: header fields have it too, which are no place for other letters.
func TestPublicURLIsASCII(t *testing.T) {
	for url, want := range map[string]string{
		"https://kalender.München.example":      "https://kalender.xn--mnchen-3ya.example",
		"http://пример.example:8080/%C3%A9/":    "http://xn--e1afmkfd.example:8080/%C3%A9",
		"https://xn--mnchen-3ya.example":        "https://xn--mnchen-3ya.example",
		"http://[2001:db8::1]:8080":             "http://[2001:db8::1]:8080",
		"https://A_B.example.org:8443/calendar": "https://A_B.example.org:8443/calendar",
	} {
		c, err := Parse("c.yaml", []byte(readFile(t, minimalFile)), calfacadeEnv("PUBLIC_URL="+url))
		if err != nil || c.PublicURL != want {
			t.Errorf("%s: %s, want %s; %v", url, c.PublicURL, want, err)
		}
	}
}

func TestParseConfigNothing(t *testing.T) {
	_, err := Parse("c.yaml", nil, nil)
	checkError(t, err, "c.yaml is not filled in: set public_url, the URL of this API, and languages, "+
		"a REST root of the site for each; all other keys have defaults")
}

func TestParseConfigBadEnv(t *testing.T) {
	const unknown = ": no key of the configuration has this name"
	tests := []struct{ env, want string }{
		{"LISTNE=:80", "CALFACADE_LISTNE" + unknown},
		{"listen=:80", "CALFACADE_listen" + unknown},
		{"=x", "CALFACADE_" + unknown},
		{"UPSTREAM=x", "CALFACADE_UPSTREAM" + unknown},
		{"UPSTREAM_=x", "CALFACADE_UPSTREAM_" + unknown},
		{"LANGUAGES=en", "CALFACADE_LANGUAGES" + unknown},
		{"LANGUAGES_0=en", "CALFACADE_LANGUAGES_0" + unknown},
		{"LANGUAGES_0_LANG=en", "CALFACADE_LANGUAGES_0_LANG" + unknown},
		{"LANGUAGES_1_LANG=en", "CALFACADE_LANGUAGES_1_LANG" + unknown},
		{"LANGUAGES_2_CODE=en", "CALFACADE_LANGUAGES_2_CODE" + unknown},
		{"LANGUAGES_00_CODE=en", "CALFACADE_LANGUAGES_00_CODE" + unknown},
		{"CACHE_TTL=1s", "CALFACADE_CACHE_TTL" + unknown},
		{"CACHE_TTL_=1s", "CALFACADE_CACHE_TTL_" + unknown},
		{"CACHE_TTL_EVENT=1s", "CALFACADE_CACHE_TTL_EVENT" + unknown},
		{"CACHE_TTL_events=1s", "CALFACADE_CACHE_TTL_events" + unknown},
		{"CACHE_TTL_EVENTS=60", `CALFACADE_CACHE_TTL_EVENTS: "60" is not a duration, such as 10s`},
		{"ADMIN_TOKENS=opensesame", "CALFACADE_ADMIN_TOKENS" + unknown},
		{"UPSTREAM_TIMEOUT=5", `CALFACADE_UPSTREAM_TIMEOUT: "5" is not a duration, such as 10s`},
		{"LOGIN_COOKIES=maybe", `CALFACADE_LOGIN_COOKIES: "maybe" is not true or false`},
		{"CACHE_SHARE_LANGUAGES=true", "CALFACADE_CACHE_SHARE_LANGUAGES" + unknown + ": share_languages is always on now, so delete it; " +
			"where languages are WordPress sites of their own, name these in languages[].site"},
		{"STAGING_TESTERS_KEY=opensesame", "CALFACADE_STAGING_TESTERS_KEY" + unknown +
			": testers share one secret now, staging.tester_token, in the field X-Calfacade-Tester or the cookie calfacade-tester; " +
			"see docs/migration.md"},
		{"B=1 A=1", "CALFACADE_A" + unknown + "\nCALFACADE_B" + unknown},
	}
	minimal := []byte(readFile(t, minimalFile))
	for _, tt := range tests {
		t.Run(tt.env, func(t *testing.T) {
			_, err := Parse("c.yaml", minimal, calfacadeEnv(tt.env))
			checkError(t, err, tt.want)
		})
	}
}

// Every leaf of Config can be set by its variable, and only that leaf changes.
// A key added without a value here fails.
func TestEnvSetsEveryKey(t *testing.T) {
	values := map[string]string{
		"listen":                        ":1",
		"tls.cert_file":                 "/env.pem",
		"tls.key_file":                  "/env.pem",
		"trusted_proxies":               "10.0.0.0/9,::1/128",
		"writes":                        "need_credentials",
		"updates":                       "as_is",
		"upstream.allow_plain_http":     "true",
		"limits.max_client_connections": "7",
		"rate_limit.failed_sign_ins":    "7/1m0s",
		"limits.max_connections":        "7",
		"limits.idle_timeout":           "7s",
		"rate_limit.reads":              "7/1m0s",
		"rate_limit.writes":             "7/1s",
		"cors.origins":                  "https://a.example.org,https://b.example.org",
		"cors.headers":                  "X-A,X-B",
		"cors.credentials":              "true",
		"admin_listen":                  "[::1]:1",
		"public_url":                    "http://env.example.org/a",
		"languages.0.code":              "fr",
		"languages.0.root":              "/env",
		"languages.0.upstream":          "https://env.example.org/fr",
		"languages.0.select":            "path",
		"languages.0.site_aliases":      "https://a.example.fr,https://b.example.fr",
		"languages.0.site":              "env",
		"languages.0.tell":              "env",
		"languages.1.code":              "de",
		"languages.1.root":              "/env",
		"languages.1.upstream":          "https://env.example.org/de",
		"languages.1.select":            "parameter",
		"languages.1.site_aliases":      "https://a.example.de",
		"languages.1.site":              "env",
		"languages.1.tell":              "env",
		"upstream.dialect":              "calendar/events/v1",
		"upstream.language_param":       "env",
		"upstream.timeout":              "1m0s",
		"upstream.max_concurrent":       "7",
		"upstream.host":                 "env.example.org",
		"upstream.ca_file":              secretFile(t, string(testCA(t))),
		"upstream.basic_auth":           "env:env",
		"upstream.headers":              "X-Env: a,X-Other: b",
		"upstream.authorization":        "X-Env",
		"upstream.wordpress_url":        "https://env.example.org/core",
		"staging.candidate":             "",
		"staging.force":                 "true",
		"staging.compare.ignore":        "a,b",
		"staging.rollback.errors":       "7",
		"staging.tester_token":          "testers-0123456789abcdef",
		"legacy_clients.enabled":        "true",
		"legacy_clients.deprecated":     "2027-01-31T00:00:00Z",
		"legacy_clients.sunset":         "2027-06-30T00:00:00Z",
		"legacy_clients.off":            "venues,tags",
		"pages_url":                     "http://env.example.org",
		"login_cookies":                 "true",
		"cache.redis":                   "redis://:env@a:1,redis://:env@b:2",
		"cache.redis_timeout":           "70ms",
		"cache.prefix":                  "env",
		"cache.read_log_every":          "2s",
		"cache.without_redis":           "fetch",
		"cache.memory":                  "90 MiB",
		"cache.ttl.events":              "9s",
		"cache.ttl.venues":              "9s",
		"cache.ttl.organizers":          "9s",
		"cache.ttl.categories":          "9s",
		"cache.ttl.tags":                "9s",
		"cache.stale_while_revalidate":  "9s",
		"cache.stale_if_error":          "9s",
		"cache.ttl.errors":              "9s",
		"cache.zone":                    "Europe/Madrid",
		"cache.ignore_cookies":          "a,b*",
		"cache.site_headers":            "obey",
		"admin.token":                   "env-0123456789abcdef",
		"admin.purge_token":             "site-0123456789abcdef",
		"docs_page":                     "false",
		"extensions":                    "false",
		"edge.tags":                     "xkey",
		"edge.prefix":                   "site-7",
		"edge.lifetime":                 "surrogate-control",
		"edge.max_age":                  "7s",
		"edge.s_maxage":                 "7s",
		"unknown_params":                "reject",
		"log.requests":                  "errors",
		"log.client":                    "none",
		"health_paths":                  "true",
		"lane":                          "false",
		"admin.hosts":                   "a.example.org,b.example.org",
		"log.level":                     "error",
		"log.format":                    "console",
		"watch_interval":                "7s",
		"drain_delay":                   "7s",
		"shutdown_timeout":              "7s",
	}
	example := []byte(readFile(t, exampleFile))
	unset, err := Parse("c.yaml", example, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := leaves(unset)
	inFileAlone := []string{"backends", "edge.purge", "legacy_clients.brownouts", "staging.rules"}
	keys := slices.DeleteFunc(sortedKeys(want), func(key string) bool { return slices.Contains(inFileAlone, key) })
	if diff := cmp.Diff(keys, sortedKeys(values)); diff != "" {
		t.Errorf("keys of Config and of this test (-Config +test):\n%s", diff)
	}
	// Values that are valid only beside another key.
	companions := map[string]string{"tls.cert_file": "tls.key_file", "tls.key_file": "tls.cert_file", "cors.credentials": "cors.origins"}
	for key, value := range values {
		variable := envName(key)
		env := []string{variable + "=" + value}
		if companion := companions[key]; companion != "" {
			env = append(env, envName(companion)+"="+values[companion])
		}
		set, err := Parse("c.yaml", example, env)
		if err != nil {
			t.Errorf("%s: %v", variable, err)
			continue
		}
		want := maps.Clone(want)
		want[key] = value
		if companion := companions[key]; companion != "" {
			want[companion] = values[companion]
		}
		if diff := cmp.Diff(want, leaves(set)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", variable, diff)
		}
	}
}

func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// secretFile writes a file with a secret in it.
func secretFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEnvEmptyAndLists(t *testing.T) {
	got, err := Load(exampleFile, []string{
		"CALFACADE_UPSTREAM_LANGUAGE_PARAM=",
		"CALFACADE_LANGUAGES_0_SITE_ALIASES=",
		`CALFACADE_ADMIN_LISTEN=""`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Upstream.LanguageParam != "" || len(got.Languages[0].Aliases) != 0 || got.AdminListen != "" {
		t.Errorf("not empty: %+v", got)
	}
	got, err = Load(exampleFile, []string{"CALFACADE_LANGUAGES_0_SITE_ALIASES=http://a.example.org/, http://b.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"http://a.example.org", "http://b.example.org"}
	if diff := cmp.Diff(want, got.Languages[0].Aliases); diff != "" {
		t.Errorf("site_aliases (-want +got):\n%s", diff)
	}
}

// The example has every key, and shows the default wherever there is one.
func TestExampleConfig(t *testing.T) {
	cfg, err := Load(exampleFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(readFile(t, exampleFile)), &doc); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	flatten(values, "", doc)
	first := cfg // the second language shows the needed keys
	first.Languages = cfg.Languages[:1]
	maps.DeleteFunc(values, func(key, _ string) bool { return strings.HasPrefix(key, "languages.1.") })
	if diff := cmp.Diff(sortedKeys(leaves(first)), sortedKeys(values)); diff != "" {
		t.Errorf("keys (-Config +%s):\n%s", exampleFile, diff)
	}

	want := Default()
	want.PublicURL = cfg.PublicURL
	want.Languages = cfg.Languages
	if diff := cmp.Diff(want, cfg, networks); diff != "" {
		t.Errorf("values (-default +%s):\n%s", exampleFile, diff)
	}
	for i, l := range cfg.Languages {
		if l.Select != i18n.ByBoth {
			t.Errorf("languages[%d].select: got %q, want the default", i, l.Select)
		}
	}
}

func TestSize(t *testing.T) {
	tests := []struct {
		text string
		want Size
		back string
	}{
		{"0", 0, "0 B"},
		{"1", 1, "1 B"},
		{"1000", 1000, "1000 B"},
		{"1025", 1025, "1.0 KiB"},
		{"8KiB", 8192, "8.0 KiB"},
		{"32MiB", 32 << 20, "32 MiB"},
		{"32 mib", 32 << 20, "32 MiB"},
		{"1.5MiB", 3 << 19, "1.5 MiB"},
		{"1MB", 1_000_000, "977 KiB"},
		{"9223372036854775807", 1<<63 - 1, "8.0 EiB"},
	}
	for _, tt := range tests {
		var got Size
		if err := got.UnmarshalText([]byte(tt.text)); err != nil || got != tt.want {
			t.Errorf("UnmarshalText(%q): got %d, %v, want %d", tt.text, got, err, tt.want)
		}
		back, err := got.MarshalText()
		if err != nil || string(back) != tt.back {
			t.Errorf("MarshalText(%d): got %q, %v, want %q", got, back, err, tt.back)
		}
	}
	for _, bad := range []string{"", "-1", "1XB", "MiB", "9223372036854775808", "٣MiB"} {
		var got Size
		if err := got.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("UnmarshalText(%q): got %d, want an error", bad, got)
		}
	}
}

// leaves are the values of cfg, as an operator writes them, by the YAML path of
// their key. It goes by the yaml tags alone, not by what env makes of the names.
func leaves(cfg Config) map[string]string {
	out := map[string]string{}
	addLeaves(out, "", reflect.ValueOf(cfg))
	return out
}

func addLeaves(out map[string]string, path string, v reflect.Value) {
	switch value := v.Interface().(type) {
	case Secret:
		out[path] = value.Reveal()
	case Secrets:
		out[path] = strings.Join(value.Reveal(), ",")
	case TTLs:
		for resource, d := range value {
			out[path+"."+resource] = d.String()
		}
	case encoding.TextMarshaler:
		text, _ := value.MarshalText() // an error is a wrong text
		out[path] = string(text)
	case []string:
		out[path] = strings.Join(value, ",")
	case []netip.Prefix:
		out[path] = strings.Trim(strings.ReplaceAll(fmt.Sprint(value), " ", ","), "[]")
	case i18n.Languages:
		for i, l := range value {
			addLeaves(out, fmt.Sprintf("%s.%d", path, i), reflect.ValueOf(l))
		}
	default:
		if v.Kind() != reflect.Struct {
			out[path] = fmt.Sprint(value)
			return
		}
		for _, k := range keysOf(path, v) {
			addLeaves(out, k.path, k.value)
		}
	}
}

// flatten is leaves for a document of unknown form. A list of scalars is a leaf.
func flatten(out map[string]string, path string, doc any) {
	switch doc := doc.(type) {
	case map[string]any:
		if len(doc) == 0 {
			out[path] = ""
		}
		for key, value := range doc {
			flatten(out, strings.TrimPrefix(path+"."+key, "."), value)
		}
	case []any:
		if len(doc) == 0 {
			out[path] = ""
		}
		for i, value := range doc {
			if _, ok := value.(map[string]any); ok {
				flatten(out, fmt.Sprintf("%s.%d", path, i), value)
			} else {
				out[path] = fmt.Sprint(doc)
			}
		}
	default:
		out[path] = fmt.Sprint(doc)
	}
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// calfacadeEnv makes an environment of assignments separated by spaces, each
// without its CALFACADE_. Of two for the same name the last counts.
func calfacadeEnv(assignments string) []string {
	var env []string
	for a := range strings.FieldsSeq(assignments) {
		env = append(env, "CALFACADE_"+a)
	}
	return env
}
