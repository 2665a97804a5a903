package edge

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rs/cors"

	"github.com/calfacade/calfacade/mapping"
)

// CORS lists the origins whose pages may use the facade.
type CORS struct {
	// Origins are such as https://www.example.org and https://*.example.org, or "*"
	// for any. None disables CORS.
	Origins []string

	// Credentials lets such pages use a visitor's login. It has no effect with "*".
	Credentials bool

	// MaxAge is how long a browser caches the response to a preflight; 0 lets it decide.
	MaxAge time.Duration
}

// varyOrigin is the Vary of every response, also to requests without Origin: a cache on the
// way could otherwise serve one without CORS fields to a page that needs them.
var varyOrigin = []string{"Origin"}

// allowedFields are the request header fields that a page may set beyond those that it always
// may.
var allowedFields = []string{"Authorization", "Content-Type", "If-Match", "If-None-Match", "If-Unmodified-Since", "Prefer", "X-WP-Nonce"}

// crossOrigin implements CORS; nil disables it.
type crossOrigin struct {
	handler *cors.Cors
	any     bool // all origins are allowed
}

// newCrossOrigin returns nil without origins. With limited, pages may read the fields of
// quotas.
func newCrossOrigin(o CORS, limited bool) *crossOrigin {
	if len(o.Origins) == 0 {
		return nil
	}
	exposed := mapping.Exposed
	if limited {
		exposed = slices.Concat(exposed, []string{rateField, policyField})
	}
	anyOrigin := slices.Contains(o.Origins, "*")
	options := cors.Options{
		AllowedOrigins:   []string{"*"},
		AllowCredentials: o.Credentials && !anyOrigin,
		AllowedMethods:   allowedMethods(),
		AllowedHeaders:   allowedFields,
		ExposedHeaders:   exposed,
		MaxAge:           int(o.MaxAge / time.Second),
	}
	if !anyOrigin {
		var named origins
		for _, origin := range o.Origins {
			named = append(named, strings.ToLower(origin))
		}
		options.AllowOriginVaryRequestFunc = named.allow
	}
	return &crossOrigin{handler: cors.New(options), any: anyOrigin}
}

// allowedMethods returns the methods of the whole table, not of one path: a 405 that a page can
// read explains more than a preflight that fails.
func allowedMethods() []string {
	methods := []string{http.MethodHead, http.MethodOptions}
	for i := range mapping.Table {
		methods = append(methods, mapping.Table[i].Methods...)
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

// preflight answers r if it is a preflight.
func (c *crossOrigin) preflight(w http.ResponseWriter, r *http.Request) bool {
	if c == nil || r.Method != http.MethodOptions || r.Header["Origin"] == nil || r.Header["Access-Control-Request-Method"] == nil {
		return false
	}
	c.handler.HandlerFunc(w, r)
	return true
}

// setHeader sets the CORS fields of the response to r. A browser hides a response without
// them from a page.
func (c *crossOrigin) setHeader(w http.ResponseWriter, r *http.Request) {
	if c == nil {
		return
	}
	if r.Header["Origin"] != nil {
		c.handler.HandlerFunc(w, r)
	}
	w.Header()["Vary"] = varyOrigin
}

// vary adds what all responses depend on to a list of request header fields.
func (c *crossOrigin) vary(fields string) []string {
	if c == nil {
		return []string{fields}
	}
	return []string{fields + ", " + varyOrigin[0]}
}
