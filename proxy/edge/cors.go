package edge

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rs/cors"

	"github.com/calfacade/calfacade/mapping"
)

// CORS selects which pages of other origins may use the API.
type CORS struct {
	// Origins are the allowed origins, such as https://www.example.org or
	// https://*.example.org, or an app's, such as capacitor://localhost; * allows any.
	// Default *; an empty list allows none.
	Origins []string `yaml:"origins" default:"*" check:"origin"`

	// Credentials lets these pages send the visitor's credentials. It is an error
	// together with the origin *. Default false.
	Credentials bool `yaml:"credentials"`

	// Headers are request header fields that these pages may send, beyond the fields
	// that the facade reads and the fields that libraries add. Default empty.
	Headers []string `yaml:"headers" check:"field"`

	// MaxAge is the time for which a browser caches the response to a preflight; 0 lets the browser decide.
	MaxAge time.Duration `yaml:"-"`
}

// varyOrigin is the Vary of every response where origins are named, also to requests without
// Origin: a cache on the way could otherwise serve one without CORS fields to a page that needs
// them.
var varyOrigin = []string{"Origin"}

// allowedFields are the request header fields that pages may send without configuration: the fields
// that the facade reads, and the fields that libraries for tracing and requests add. A field without
// effect does no harm; a preflight that fails does. Browsers ask for Accept, Accept-Language and
// Content-Language only if their values are long or have unusual characters.
var allowedFields = []string{
	"Accept", "Accept-Language", "Authorization", "Baggage", "Cache-Control", "Content-Encoding", "Content-Language",
	"Content-Range", "Content-Type", "Expires", "Idempotency-Key", "If-Match", "If-None-Match", "If-Unmodified-Since", "Pragma", "Prefer",
	"Range", "Sentry-Trace", "Traceparent", "Tracestate", "X-Calfacade-Tester", "X-HTTP-Method-Override",
	"X-Request-Id", "X-Requested-With", "X-WP-Nonce",
}

// anyOrigin is the Access-Control-Allow-Origin that allows any.
var anyOrigin = []string{"*"}

// crossOrigin implements CORS; nil disables CORS.
type crossOrigin struct {
	handler   *cors.Cors
	anyOrigin bool // all origins are allowed
	exposed   []string
}

// newCrossOrigin returns nil without origins.
func newCrossOrigin(o CORS) *crossOrigin {
	if len(o.Origins) == 0 {
		return nil
	}
	c := &crossOrigin{anyOrigin: slices.Contains(o.Origins, "*"), exposed: []string{strings.Join(mapping.Exposed, ", ")}}
	options := cors.Options{
		AllowedOrigins:   anyOrigin,
		AllowCredentials: o.Credentials && !c.anyOrigin,
		AllowedMethods:   allowedMethods(),
		AllowedHeaders:   slices.Concat(allowedFields, o.Headers),
		ExposedHeaders:   mapping.Exposed,
		MaxAge:           int(o.MaxAge / time.Second),
	}
	if !c.anyOrigin {
		// In the origins of package cors a * matches anything, and not only whole labels of the host.
		labels := strings.NewReplacer(`\*`, `[a-z0-9_-]+(\.[a-z0-9_-]+)*`, `\|`, "|")
		origins := labels.Replace(regexp.QuoteMeta(strings.Join(o.Origins, "|")))
		named := regexp.MustCompile("(?i)^(" + origins + ")$")
		options.AllowOriginVaryRequestFunc = func(r *http.Request, origin string) (allowed bool, vary []string) {
			// No page sends two Origin fields, and a proxy on the way may read the other one.
			return len(r.Header["Origin"]) == 1 && named.MatchString(origin), nil
		}
	}
	c.handler = cors.New(options)
	return c
}

// allowedMethods returns the methods of the whole table, not of one path: a 405 that a page can
// read explains more than a preflight that fails.
func allowedMethods() []string {
	methods := []string{http.MethodHead, http.MethodOptions}
	for _, e := range mapping.Table {
		methods = append(methods, e.Methods...)
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

// preflight answers r, an OPTIONS, if r is a preflight.
func (c *crossOrigin) preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Header["Origin"] == nil || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	c.handler.HandlerFunc(w, withSortedFields(r))
	return true
}

// withSortedFields returns a preflight with the field names in the form of the Fetch standard: lower case,
// sorted and unique. Package cors refuses other forms, which proxies and people write.
func withSortedFields(r *http.Request) *http.Request {
	const requested = "Access-Control-Request-Headers"
	if r.Header[requested] == nil {
		return r
	}
	var fields []string
	for field := range strings.SplitSeq(strings.ToLower(strings.Join(r.Header[requested], ",")), ",") {
		field = strings.Trim(field, " \t")
		if field != "" {
			fields = append(fields, field)
		}
	}
	slices.Sort(fields)
	sorted := *r
	sorted.Header = maps.Clone(r.Header)
	sorted.Header.Set(requested, strings.Join(slices.Compact(fields), ","))
	return &sorted
}

// setHeader sets the CORS fields of the response to r. A browser hides a response without
// them from a page. Where any origin is allowed, every response has them, also to requests without
// Origin: then all clients get the same response, and caches store one.
func (c *crossOrigin) setHeader(w http.ResponseWriter, r *http.Request) {
	if c.anyOrigin {
		w.Header()["Access-Control-Allow-Origin"] = anyOrigin
		w.Header()["Access-Control-Expose-Headers"] = c.exposed
		return
	}
	if r.Header["Origin"] != nil {
		c.handler.HandlerFunc(w, r)
	}
	w.Header()["Vary"] = varyOrigin
}
