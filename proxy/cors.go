package proxy

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rs/cors"

	"github.com/calfacade/calfacade/mapping"
)

// CORSOptions say which pages of other origins may use the facade.
type CORSOptions struct {
	// Origins are such as https://www.example.org and https://*.example.org, or "*"
	// for any. None: no page of another origin.
	Origins []string

	// Credentials lets such pages use a visitor's login. It does nothing beside
	// "*": no foreign page may do that.
	Credentials bool

	// MaxAge is how long a browser keeps the answer to a preflight; 0: it decides.
	MaxAge time.Duration
}

// varyOrigin is on every answer, with an Origin or without: a cache on the way
// would give the one without the fields of CORS to a page that needs them.
var varyOrigin = []string{"Origin"}

// sendable are the fields of a request that a page may set beyond those that it
// always may.
var sendable = []string{"Authorization", "Content-Type", "If-Match", "If-None-Match", "If-Unmodified-Since", "Prefer", "X-WP-Nonce"}

// newCORS gives nil where no other origin may anything.
func newCORS(o CORSOptions, limited bool) *cors.Cors {
	if len(o.Origins) == 0 {
		return nil
	}
	exposed := mapping.Exposed
	if limited {
		exposed = slices.Concat(exposed, []string{rateField, policyField})
	}
	anyone := slices.Contains(o.Origins, "*")
	options := cors.Options{
		AllowedOrigins:   []string{"*"},
		AllowCredentials: o.Credentials && !anyone,
		AllowedMethods:   corsMethods(),
		AllowedHeaders:   sendable,
		ExposedHeaders:   exposed,
		MaxAge:           int(o.MaxAge / time.Second),
	}
	if !anyone {
		var named origins
		for _, origin := range o.Origins {
			named = append(named, strings.ToLower(origin))
		}
		options.AllowOriginVaryRequestFunc = named.allow
	}
	return cors.New(options)
}

// corsMethods are those of the table, and not of one path: a 405 that a page can
// read tells more than a preflight that fails.
func corsMethods() []string {
	methods := []string{http.MethodHead, http.MethodOptions}
	for i := range mapping.Table {
		methods = append(methods, mapping.Table[i].Methods...)
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

// preflight reports whether a browser asks what it may send.
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header["Origin"] != nil && r.Header["Access-Control-Request-Method"] != nil
}
