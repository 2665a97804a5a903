package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/problem"
)

// Values that every answer has, made once.
var (
	jsonType    = []string{"application/json; charset=UTF-8"}
	nosniff     = []string{"nosniff"}
	noReferrer  = []string{"no-referrer"}
	noindex     = []string{"noindex"}
	problemType = []string{problem.MediaType}
	gzipCoding  = []string{"gzip"}
	spoken      = func() map[i18n.Voice][]string {
		m := map[i18n.Voice][]string{}
		for _, code := range i18n.Codes {
			m[i18n.Voice(code)] = []string{code}
		}
		return m
	}()
)

// common sets the header fields of every answer.
func (x *exchange) common() http.Header {
	out := x.out.Header()
	out["Content-Type"] = jsonType
	out["Content-Language"] = spoken[x.voice]
	out["X-Content-Type-Options"] = nosniff
	out["X-Robots-Tag"] = noindex
	out["Referrer-Policy"] = noReferrer
	return out
}

// respond writes an answer. h goes out with the spelling it has.
func (x *exchange) respond(status int, h http.Header, body []byte) {
	out := x.common()
	for name, values := range h {
		out[name] = values
	}
	if problem, ok := x.problem(status, body); ok {
		body = problem
	}
	x.write(status, body)
}

// write writes the body, or for HEAD the header that GET would have had.
func (x *exchange) write(status int, body []byte) {
	out := x.out.Header()
	out["Content-Length"] = []string{strconv.Itoa(len(body))}
	if x.in.Method == http.MethodHead {
		x.out.WriteHeader(status)
		return
	}
	lane.Hold(x.in, out, len(body))
	x.out.WriteHeader(status)
	_, x.out.err = x.out.Write(body)
}

// respondEntry writes an entry of the cache. It computes nothing but what depends on the
// request and the time.
func (f *Facade) respondEntry(x *exchange, got cache.Result) {
	v := variantOf(got.Entry, acceptsGzip(x.in.Header["Accept-Encoding"]), x.in.Header["If-None-Match"])
	out := x.out.Header()
	if !v.known {
		x.common()
	}
	for _, field := range got.Entry.Fields {
		if !v.known || updates[field.Name] {
			out[field.Name] = field.Values
		}
	}
	if got.How == cache.Hit || got.How == cache.Stale {
		out["Age"] = []string{strconv.Itoa(int(got.Age / time.Second))}
	}
	out["Vary"] = f.vary
	out["Cache-Status"] = []string{cacheStatus(got)}
	if problem, ok := x.problem(got.Entry.Status, got.Entry.Body); ok {
		x.write(got.Entry.Status, problem)
		return
	}
	if v.zipped {
		out["Etag"] = []string{v.tag}
	}
	if v.known {
		x.out.WriteHeader(http.StatusNotModified)
		return
	}
	if v.zipped {
		out["Content-Encoding"] = gzipCoding
	}
	x.write(got.Entry.Status, v.body)
}

// variant is the form of an entry that a client gets.
type variant struct {
	zipped bool
	known  bool // the client has it
	body   []byte
	tag    string
}

func variantOf(e *cache.Entry, gzip bool, ifNoneMatch []string) variant {
	v := variant{body: e.Body, tag: e.ETag}
	if v.zipped = gzip && e.Gzip != nil; v.zipped {
		v.body, v.tag = e.Gzip, gzipTag(v.tag)
	}
	v.known = e.Status == http.StatusOK && matches(ifNoneMatch, v.tag)
	return v
}

// updates are the fields of an answer that a 304 has: those by which a client updates what
// it keeps (RFC 9110, 15.4.5), and the nonce for its next request. Of an entry's fields
// Vary is none.
var updates = map[string]bool{"Cache-Control": true, "Etag": true, "Vary": true, "X-WP-Nonce": true}

// respondKnown answers a client that has what h is the header of.
func (x *exchange) respondKnown(h http.Header) {
	out := x.out.Header()
	for name, values := range h {
		if updates[name] {
			out[name] = values
		}
	}
	x.out.WriteHeader(http.StatusNotModified)
}

// cacheStatus tells in the terms of RFC 9211 what the cache did.
func cacheStatus(got cache.Result) string {
	switch got.How {
	case cache.Hit:
		return "calfacade; hit; ttl=" + strconv.Itoa(int(got.TTL/time.Second))
	case cache.Stale:
		s := "calfacade; hit; ttl=" + strconv.Itoa(int(got.TTL/time.Second))
		if got.Err != nil {
			return s + "; detail=stale-if-error"
		}
		return s + "; detail=stale-while-revalidate"
	}
	s := "calfacade; fwd=" + string(got.How)
	if got.How == cache.Expired {
		s = "calfacade; fwd=stale"
	}
	if got.Stored {
		s += "; stored; ttl=" + strconv.Itoa(int(got.TTL/time.Second))
	}
	if got.Collapsed {
		s += "; collapsed"
	}
	return s
}

// problem returns the problem details of an error, if the client prefers them, and adapts
// the header. Every response with an error passes here, those of the site and the cache
// too: all are in WordPress's envelope until then.
func (x *exchange) problem(status int, envelope []byte) (body []byte, ok bool) {
	if status < http.StatusBadRequest {
		return nil, false
	}
	out := x.out.Header()
	// Caches outside keep both forms apart. The values may be an entry's: no append.
	out["Vary"] = slices.Concat(out["Vary"], []string{"Accept"})
	if !problem.IsPreferred(x.in.Header["Accept"]) {
		return nil, false
	}
	out["Content-Type"] = problemType
	if status != http.StatusPreconditionFailed {
		delete(out, "Etag") // the envelope's, and not what the client has to read again
	}
	return problem.Details(status, envelope, x.id, x.voice), true
}

// fail writes the answer for an error.
func (x *exchange) fail(err error) {
	e := problem.Of(err)
	code, body := e.Envelope(x.voice)
	told := *e
	told.Code = code
	x.failure = &told
	if x.out.status != 0 {
		return // the answer has begun; it cannot become another
	}
	x.respond(e.Status, e.Header, body)
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
	err    error // of writing the body: the client is gone

	before func() // called before the header goes; nil is nothing
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	if r.before != nil {
		r.before()
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap lets http.MaxBytesReader reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
