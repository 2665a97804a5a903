package sim

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// answer is the result of an endpoint.
type answer struct {
	status   int
	body     any
	failed   bool // _fields spares errors
	list     bool // total and pages go into headers
	total    int
	pages    int
	location string
	more     object // header fields beside those
	links    object // behind the body, and safe from _fields
}

func ok(body any) (*answer, error) { return &answer{status: 200, body: body}, nil }

const (
	jsonType   = "application/json; charset=UTF-8"
	scriptType = "application/javascript; charset=UTF-8"
	noCache    = "no-cache, must-revalidate, max-age=0, no-store, private"
	longAgo    = "Wed, 11 Jan 1984 05:00:00 GMT"
)

var notCallback = regexp.MustCompile(`[^\w.]`)

func badCallback(query params) bool {
	return query.given("_jsonp") && notCallback.MatchString(query.str("_jsonp"))
}

// refuseCallback comes before WordPress has sent any but its first headers.
func (c *call) refuseCallback(w http.ResponseWriter) {
	c.firstHeaders(w.Header())
	w.Header().Set("Content-Type", scriptType)
	w.WriteHeader(400)
	e := object{{"code", "rest_callback_invalid"}, {"message", "Invalid JSONP callback function."}}
	_, _ = w.Write([]byte(encodeJSON(e, false)))
}

// write sends the answer through the parameters that change its form: _fields,
// _envelope, _pretty and _jsonp.
func (c *call) write(w http.ResponseWriter, a *answer) {
	h := w.Header()
	c.firstHeaders(h)
	set(h, "Access-Control-Expose-Headers", "X-WP-Total, X-WP-TotalPages, Link")
	set(h, "Access-Control-Allow-Headers", "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type")
	c.sharingHeaders(h)
	if c.nonce {
		set(h, "X-WP-Nonce", c.user.Nonce())
	}
	overridden := c.http.Header.Get("X-HTTP-Method-Override") != "" && a.status >= 400
	if c.private || c.ended || overridden {
		set(h, "Expires", longAgo)
		set(h, "Cache-Control", noCache)
	}
	if names := c.query.list("_fields"); names != nil && !a.failed {
		a.body = pickEach(a.body, names)
	}
	if a.links != nil {
		a.body = a.body.(object).with("_links", a.links)
	}
	if c.query.given("_envelope") {
		a = &answer{status: 200, body: object{{"body", a.body}, {"status", a.status}, {"headers", c.ownHeaders(a)}}}
	} else {
		for _, m := range c.ownHeaders(a) {
			if !c.site.opts.Setup.NoTotals || !slices.Contains(totalHeaders, m.name) {
				set(h, m.name, encodeHeader(m.value))
			}
		}
	}
	c.send(w, a)
}

func (c *call) send(w http.ResponseWriter, a *answer) {
	text := encodeJSON(a.body, c.query.given("_pretty"))
	contentType := jsonType
	if callback := c.query.str("_jsonp"); callback != "" {
		text, contentType = "/**/"+callback+"("+text+")", scriptType
	}
	set(w.Header(), "Content-Type", contentType)
	w.WriteHeader(a.status)
	if c.http.Method != http.MethodHead {
		_, _ = w.Write([]byte(Surpluses[c.site.opts.Setup.Surplus] + text))
	}
}

// totalHeaders count a list.
var totalHeaders = []string{"X-TEC-Total", "X-TEC-TotalPages", "X-WP-Total", "X-WP-TotalPages"}

// ownHeaders are those that belong to the answer rather than to the site: an
// envelope includes them.
func (c *call) ownHeaders(a *answer) object {
	var h object
	if a.list {
		h = h.with("X-TEC-Total", a.total).with("X-TEC-TotalPages", a.pages)
	}
	h = append(h, a.more...)
	if a.location != "" {
		h = h.with("Location", a.location)
	}
	if c.allow != nil {
		h = h.with("Allow", strings.Join(c.allow, ", "))
	}
	return h
}

func encodeHeader(v any) string {
	if n, ok := v.(int); ok {
		return itoa(n)
	}
	return v.(string)
}

func (c *call) firstHeaders(h http.Header) {
	set(h, "X-Robots-Tag", "noindex")
	set(h, "X-Content-Type-Options", "nosniff")
	set(h, "Link", "<"+c.restRoot()+`>; rel="https://api.w.org/"`)
}

// sharingHeaders reflect any origin. Vary is missing where a cache would need
// it most.
func (c *call) sharingHeaders(h http.Header) {
	if origin := c.http.Header.Get("Origin"); origin != "" {
		set(h, "Access-Control-Allow-Origin", origin)
		set(h, "Access-Control-Allow-Methods", "OPTIONS, GET, POST, PUT, PATCH, DELETE")
		set(h, "Access-Control-Allow-Credentials", "true")
		set(h, "Vary", "Origin")
	} else if c.http.Method == http.MethodGet && c.user == nil && !c.ended {
		set(h, "Vary", "Origin")
	}
}
