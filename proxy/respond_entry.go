package proxy

import (
	"net/http"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/surrogate"
)

// entryHeader is what the header of an entry depends on beside the entry, the request and the time.
type entryHeader struct {
	surrogate surrogate.Options
	vary      []string
}

// respondEntry writes an entry of the cache. It computes nothing but what depends on the
// request and the time.
func (w *responder) respondEntry(got cache.Result, with *entryHeader) {
	status, body := w.headEntry(got, with)
	if status == http.StatusNotModified {
		w.out.WriteHeader(status)
		return
	}
	w.write(status, body)
}

// headEntry sets the header of the response for an entry, and returns its status and body.
func (w *responder) headEntry(got cache.Result, with *entryHeader) (status int, body []byte) {
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
	with.setTimes(out, got)
	out["Vary"] = with.vary
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

// setTimes sets the fields that depend on the time, or on what may replace the entry.
func (with *entryHeader) setTimes(out http.Header, got cache.Result) {
	aged := got.Entry.Aged
	slow := got.Age >= time.Second && got.Entry.Life.Fresh > 0 // a fetch, which began as long ago
	if got.How == cache.Hit || got.How == cache.Stale || aged >= time.Second || slow && with.surrogate.Active() {
		out["Age"] = []string{strconv.Itoa(int((got.Age + aged) / time.Second))}
	}
	if left, ok := with.left(got); ok {
		out[string(surrogate.AccelExpires)] = []string{strconv.FormatInt(left, 10)}
	}
	if got.Fleeting {
		with.surrogate.SetFleeting(out)
	}
}

// left returns X-Accel-Expires of an entry; ok reports whether it has the field.
func (with *entryHeader) left(got cache.Result) (seconds int64, ok bool) {
	fresh := got.Entry.Life.Fresh
	if got.Fleeting {
		fresh = 0
	}
	return with.surrogate.Expires(fresh, got.Age)
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

// hitStatus is the Cache-Status of a hit, to which the seconds that it stays fresh are added.
const hitStatus = "calfacade; hit; ttl="

// cacheStatus returns Cache-Status (RFC 9211).
func cacheStatus(got cache.Result) string {
	switch got.How {
	case cache.Hit:
		return hitStatus + strconv.Itoa(int(got.TTL/time.Second))
	case cache.Stale:
		s := hitStatus + strconv.Itoa(int(got.TTL/time.Second))
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
