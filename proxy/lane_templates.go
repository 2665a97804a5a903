package proxy

import (
	"maps"
	"net/http"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/lane"
)

// templates are the head templates of an entry, by variant. They are stored with the entry
// (see [cache.Cache.Prepare]), and depend on nothing but the entry and the edge. They are
// immutable.
type templates struct {
	edge uint64 // ID of the edge that they depend on
	of   [8]*lane.Template
}

// size returns the memory of the templates, in bytes.
func (t *templates) size() int {
	size := templatesOverhead
	for _, one := range t.of {
		size += one.Size()
	}
	return size
}

// number returns the index of a variant among the templates.
func (v variant) number(fleeting bool) int {
	n := 0
	for i, is := range []bool{v.gzipped, v.notModified, fleeting} {
		if is {
			n |= 1 << i
		}
	}
	return n
}

// templateFor returns the head template of a variant of an entry, and makes it if there is none.
// It is nil if the lane cannot send that head.
func (f *Facade) templateFor(x *exchange, r *lane.Request, got cache.Result, v variant) *lane.Template {
	n := v.number(got.Fleeting)
	head := f.templateOf(got.Entry, n)
	if head == nil {
		if head = f.newTemplate(x, r, got); head != nil {
			f.keepTemplate(x.key, got.Entry, n, head)
		}
	}
	return head
}

// templateOf returns the head template of a variant of an entry, or nil.
func (f *Facade) templateOf(entry *cache.Entry, n int) *lane.Template {
	if all, ok := entry.Prepared().(*templates); ok && all.edge == f.edge.ID() {
		return all.of[n]
	}
	return nil
}

// templatesOf returns a copy of the templates of an entry, without heads of another edge.
func (f *Facade) templatesOf(entry *cache.Entry) templates {
	if before, ok := entry.Prepared().(*templates); ok && before.edge == f.edge.ID() {
		return *before
	}
	return templates{edge: f.edge.ID()}
}

// keepTemplate stores the head template of a variant with the others. One that is stored at
// the same time may be lost, and is then rebuilt.
func (f *Facade) keepTemplate(key string, entry *cache.Entry, n int, t *lane.Template) {
	all := f.templatesOf(entry)
	all.of[n] = t
	f.options.Cache.Prepare(key, entry, &all, all.size())
}

// templatesOverhead is the memory of templates without the templates themselves, in bytes.
const templatesOverhead = 96

// newTemplate makes a head template from the header that Admit and respondEntry set. It is nil
// for a response that net/http would change.
func (f *Facade) newTemplate(x *exchange, r *lane.Request, got cache.Result) *lane.Template {
	w := &headWriter{header: http.Header{"X-Request-Id": {""}}}
	in := &http.Request{Method: x.in.Method, RemoteAddr: x.in.RemoteAddr, Header: headerOf(r, x.in.Header)}
	to := responder{in: in, out: recorder{ResponseWriter: w}, texts: x.texts}
	f.edge.SetHeader(w, in)
	f.edge.SetLimitHeader(w.header)
	if f.options.ServerTiming {
		w.header["Server-Timing"] = []string{""}
	}
	to.respondEntry(got, &f.entries)
	return lane.NewTemplate(w.status, w.header)
}

// headerOf returns the fields of a request that a response to it depends on.
func headerOf(r *lane.Request, proxied http.Header) http.Header {
	in := http.Header{}
	maps.Copy(in, proxied)
	if r.AcceptEncoding != nil {
		in["Accept-Encoding"] = []string{string(r.AcceptEncoding)}
	}
	if r.IfNoneMatch != nil {
		in["If-None-Match"] = []string{string(r.IfNoneMatch)}
	}
	return in
}

// headWriter records the head of a response.
type headWriter struct {
	header http.Header
	status int
}

func (w *headWriter) Header() http.Header         { return w.header }
func (w *headWriter) WriteHeader(status int)      { w.status = status }
func (w *headWriter) Write(b []byte) (int, error) { return len(b), nil }
