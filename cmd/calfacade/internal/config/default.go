package config

import (
	"slices"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

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
		UpdateHandling:  "lenient",
		Upstream: Upstream{
			Dialect:       "tribe/events/v1",
			Namespace:     "tribe/events/v1",
			LanguageParam: "wpml_language",
			Timeout:       10 * time.Second,
			MaxBody:       32 << 20,
			MaxConcurrent: 64,
		},
		Backends: []Backend{},
		Staging: Staging{
			Rules:    []Rule{},
			Shadow:   Shadow{Share: 100},
			Compare:  Compare{Ignore: []string{}, Hosts: []string{}, Mask: []string{}},
			Rollback: Rollback{Errors: 5},
		},
		LegacyClients: LegacyClients{Off: []string{}, Brownouts: []Brownout{}},
		Cache: Cache{
			Enabled:              true,
			RedisTimeout:         250 * time.Millisecond,
			Prefix:               "calfacade",
			WithoutRedis:         "serve",
			Memory:               256 << 20,
			TTL:                  tableTTLs(),
			StaleWhileRevalidate: 5 * time.Minute,
			StaleIfError:         24 * time.Hour,
			NegativeTTL:          10 * time.Second,
			IgnoreCookies:        slices.Clone(ignoredCookies),
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
		CORS:            CORS{Origins: []string{"*"}, Headers: []string{}},
		UnknownParams:   "drop",
		Log:             Log{Level: "info", Format: "auto", Requests: "all"},
		Lane:            true,
		ShutdownTimeout: 20 * time.Second,
	}
}

// setDefaults sets the defaults of an element of Languages, which has none before
// it is decoded.
func (l *Language) setDefaults() {
	if l.Select == "" {
		l.Select = i18n.ByBoth
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
