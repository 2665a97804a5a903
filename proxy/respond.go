package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/problem"
)

// Values of header fields, made once.
var (
	jsonType        = []string{"application/json; charset=UTF-8"}
	nosniff         = []string{"nosniff"}
	noReferrer      = []string{"no-referrer"}
	noindex         = []string{"noindex"}
	problemType     = []string{problem.MediaType}
	gzipCoding      = []string{"gzip"}
	contentLanguage = func() map[i18n.Catalog][]string {
		m := map[i18n.Catalog][]string{}
		for _, code := range i18n.Codes {
			m[i18n.Catalog(code)] = []string{code}
		}
		return m
	}()
)

// common sets the header fields of every response.
func (x *exchange) common() http.Header {
	out := x.out.Header()
	out["Content-Type"] = jsonType
	out["Content-Language"] = contentLanguage[x.texts]
	out["X-Content-Type-Options"] = nosniff
	out["X-Robots-Tag"] = noindex
	out["Referrer-Policy"] = noReferrer
	return out
}

// respond writes a response. The names of h are sent as they are spelled.
func (x *exchange) respond(status int, h http.Header, body []byte) {
	x.settle(status, h, body)
	out := x.common()
	for name, values := range h {
		out[name] = values
	}
	if status >= http.StatusBadRequest {
		if problem, ok := x.problem(status, body); ok {
			body = problem
		}
	}
	x.writeBody(status, body)
}

// writeBody writes the body, or for HEAD the header that GET would have had.
func (x *exchange) writeBody(status int, body []byte) {
	out := x.out.Header()
	out["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.out.WriteHeader(status)
	if x.request.Method == http.MethodHead {
		return
	}
	lane.Hold(x.request, out, len(body)) // the header is final, and net/http has not sent it
	_, x.out.err = x.out.Write(body)
}

// notModifiedFields are the header fields that a 304 has: the fields with which a client updates a stored
// response (RFC 9110, 15.4.5), the fields for caches in front, and the nonce for the next request. Entries
// store no Vary.
var notModifiedFields = append([]string{"Cache-Control", "Date", "Etag", "Vary", "X-WP-Nonce"}, freshness.SurrogateFields...)

// respondTagged writes a response with a validator, or 304 to a client that has the response.
func (x *exchange) respondTagged(h http.Header, body []byte, tag string) {
	h["Etag"] = []string{tag}
	if !matches(x.request.Header["If-None-Match"], tag, false) {
		x.respond(http.StatusOK, h, body)
		return
	}
	out := x.out.Header()
	for name, values := range h {
		if slices.Contains(notModifiedFields, name) {
			out[name] = values
		}
	}
	x.out.WriteHeader(http.StatusNotModified)
}

// private keeps a response to one client out of all caches on the way.
func private(h http.Header) {
	h.Set("Cache-Control", freshness.NoStore)
	h.Del("Expires")
}

// problem returns the problem details of an error, if the client prefers them, and adapts the header. Every
// response with an error passes here, also from the site and the cache: all have WordPress's envelope before.
func (x *exchange) problem(status int, envelope []byte) (body []byte, ok bool) {
	out := x.out.Header()
	// Other caches must not mix both forms. The values may be an entry's: no append.
	out["Vary"] = slices.Concat(out["Vary"], []string{"Accept"})
	if !problem.IsPreferred(x.request.Header["Accept"]) {
		return nil, false
	}
	out["Content-Type"] = problemType
	if status != http.StatusPreconditionFailed {
		delete(out, "Etag") // of the envelope
	}
	return problem.Details(status, envelope, x.id, x.texts), true
}

// fail writes the response for an error, and returns the error to log.
func (f *Facade) fail(x *exchange, err error) (logged *problem.Error) {
	e := problem.Of(err)
	code, body := f.envelope(x.target, e, x.texts)
	public := *e
	public.Code = code
	out := x.out.Header()
	if e.Status < http.StatusInternalServerError && out["Link"] == nil {
		out["Link"] = []string{f.serviceDesc(x)} // in the legacy's namespace the target has links
	}
	if e.Status == http.StatusUnsupportedMediaType && e.Code != problem.CodeCoding {
		mapping.SetBodyTypes(x.out.Header(), x.target.Path)
	}
	if x.out.status == 0 { // the header has not been sent
		x.respond(e.Status, e.Header, body)
	}
	return &public
}

// serviceDesc returns the value of Link that names the description of the API.
func (f *Facade) serviceDesc(x *exchange) string {
	return f.site.backend.rewriter.ServiceDesc(x.target.choice.Index, x.target.choice.Spoken)
}

// envelope returns an error in the names that a request uses.
func (f *Facade) envelope(t *target, e *problem.Error, texts i18n.Catalog) (code string, body []byte) {
	if t.InLegacyNames { // with the legacy's parameters, members and escapes (recording errors/en/invalid-param)
		return f.clients.Envelope(e, texts)
	}
	return e.Envelope(texts)
}

// respondEntry writes an entry of the cache. respondEntry computes only the fields that depend on the request
// and the time.
func (s *site) respondEntry(x *exchange, result cache.Result) {
	v := variantOf(result.Entry, acceptsGzip(x.request.Header["Accept-Encoding"]), x.request.Header["If-None-Match"])
	out := x.out.Header()
	if !v.notModified {
		x.common()
	}
	for _, field := range result.Entry.Fields {
		if !v.notModified || slices.Contains(notModifiedFields, field.Name) {
			out[field.Name] = field.Values
		}
	}
	s.setTimes(out, result)
	out["Vary"] = s.vary
	out["Cache-Status"] = []string{cacheStatus(result)}
	if result.Entry.Status >= http.StatusBadRequest {
		if problem, ok := x.problem(result.Entry.Status, result.Entry.Body); ok {
			x.writeBody(result.Entry.Status, problem)
			return
		}
	}
	if v.gzipped {
		out["Etag"] = []string{v.tag}
	}
	if v.notModified {
		x.out.WriteHeader(http.StatusNotModified)
		return
	}
	if v.gzipped {
		out["Content-Encoding"] = gzipCoding
	}
	x.writeBody(result.Entry.Status, v.body)
}

// setTimes sets the fields that depend on the time, or on a coming replacement of the entry.
func (s *site) setTimes(out http.Header, result cache.Result) {
	aged := result.Entry.Aged
	slow := result.Age >= time.Second && result.Entry.Life.Fresh > 0 // a fetch, which began as long ago
	if result.How == cache.Hit || result.How == cache.Stale || aged >= time.Second || slow && s.options.Surrogate.Active() {
		out["Age"] = []string{strconv.Itoa(int((result.Age + aged) / time.Second))}
	}
	if seconds, ok := s.options.Surrogate.Expires(result); ok {
		out["X-Accel-Expires"] = []string{strconv.FormatInt(seconds, 10)}
	}
	if result.Fleeting {
		s.options.Surrogate.SetFleeting(out)
	}
}

// hitStatus is the Cache-Status of a hit; the remaining freshness in seconds follows.
const hitStatus = "calfacade; hit; ttl="

// cacheStatus returns Cache-Status (RFC 9211).
func cacheStatus(result cache.Result) string {
	ttl := strconv.Itoa(int(result.TTL / time.Second))
	switch {
	case result.How == cache.Hit:
		return hitStatus + ttl
	case result.How == cache.Stale && result.Err != nil:
		return hitStatus + ttl + "; detail=stale-if-error"
	case result.How == cache.Stale:
		return hitStatus + ttl + "; detail=stale-while-revalidate"
	}
	s := "calfacade; fwd=" + string(result.How)
	if result.How == cache.Expired {
		s = "calfacade; fwd=stale"
	}
	if result.Stored {
		s += "; stored; ttl=" + ttl
	}
	if result.Collapsed {
		s += "; collapsed"
	}
	return s
}
