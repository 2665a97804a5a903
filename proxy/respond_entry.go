package proxy

import (
	"net/http"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// respondEntry writes an entry of the cache. It computes nothing but what depends on the
// request and the time.
func (w *responder) respondEntry(got cache.Result, vary []string) {
	status, body := w.headEntry(got, vary)
	if status == http.StatusNotModified {
		w.out.WriteHeader(status)
		return
	}
	w.write(status, body)
}

// headEntry sets the header of the response for an entry, and returns its status and body.
func (w *responder) headEntry(got cache.Result, vary []string) (status int, body []byte) {
	v := variantOf(got.Entry, acceptsGzip(w.in.Header["Accept-Encoding"]), w.in.Header["If-None-Match"])
	out := w.out.Header()
	if !v.notModified {
		w.common()
	}
	for _, field := range got.Entry.Fields {
		if !v.notModified || notModifiedFields[field.Name] {
			out[field.Name] = field.Values
		}
	}
	if got.How == cache.Hit || got.How == cache.Stale {
		out["Age"] = []string{strconv.Itoa(int(got.Age / time.Second))}
	}
	out["Vary"] = vary
	out["Cache-Status"] = []string{cacheStatus(got)}
	if problem, ok := w.problem(got.Entry.Status, got.Entry.Body); ok {
		return got.Entry.Status, problem
	}
	if v.gzipped {
		out["Etag"] = []string{v.tag}
	}
	if v.notModified {
		return http.StatusNotModified, nil
	}
	if v.gzipped {
		out["Content-Encoding"] = gzipCoding
	}
	return got.Entry.Status, v.body
}

// variant is the representation of an entry that a client gets.
type variant struct {
	gzipped     bool
	notModified bool // the client has it
	body        []byte
	tag         string
}

func variantOf(e *cache.Entry, gzip bool, ifNoneMatch []string) variant {
	v := variant{body: e.Body, tag: e.ETag}
	if v.gzipped = gzip && e.Gzip != nil; v.gzipped {
		v.body, v.tag = e.Gzip, gzipTag(v.tag)
	}
	v.notModified = e.Status == http.StatusOK && matches(ifNoneMatch, v.tag)
	return v
}

// cacheStatus returns Cache-Status (RFC 9211).
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
