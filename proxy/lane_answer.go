package proxy

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
	"weak"

	"github.com/calfacade/calfacade/cache"
)

// hasLane reports whether hits of the facade may be answered in the lane at all:
// whether nothing is done for each request but what the lane does too.
func (f *Facade) hasLane() bool {
	o := &f.options
	return o.Cache != nil && o.Tracer == nil && !o.ServerTiming && f.stage == nil && f.edge.reads == nil
}

// express finds the fresh hit that a request is for, if the lane may answer it.
func (f *Facade) express(h *laneHead) (m *meaning, got cache.Result, ok bool) {
	if h.leaves || !f.hasLane() || h.cookie && f.options.Cookies || h.origin && !f.edge.anyOrigin {
		return nil, got, false
	}
	if m, ok = f.targets.known.GetIfPresent(string(h.target)); !ok {
		return nil, got, false
	}
	got, ok = f.options.Cache.Fresh(m.key, func(e *cache.Entry) bool {
		return e.Status == http.StatusOK && (e.Complete || !h.gzip)
	})
	return m, got, ok
}

// forwarded are the fields of proxies that may be trusted; nil for none.
func (h *laneHead) forwarded(asked bool) http.Header {
	if h.proxied == 0 || !asked {
		return nil
	}
	in := http.Header{}
	for _, p := range h.proxies[:h.proxied] {
		in.Add(string(p.name), string(p.value))
	}
	return in
}

// header is what of the request the answer depends on, for who makes a draft.
func (h *laneHead) header(forwarded http.Header) http.Header {
	in := http.Header{}
	maps.Copy(in, forwarded)
	if h.accept != nil {
		in["Accept-Encoding"] = []string{string(h.accept)}
	}
	if h.match != nil {
		in["If-None-Match"] = []string{string(h.match)}
	}
	if h.origin {
		in["Origin"] = []string{"https://any.example"}
	}
	return in
}

// drafts are the heads of a target's answers, by variant: at most a few hundred
// bytes each. They do not keep the entry alive.
type drafts [16]atomic.Pointer[draft]

// number of a variant among the drafts.
func (v variant) number(origin, secure bool) int {
	n := 0
	for i, is := range []bool{v.zipped, v.known, origin, secure} {
		if is {
			n |= 1 << i
		}
	}
	return n
}

// draft is the head of an answer, but for what depends on the moment.
type draft struct {
	of     weak.Pointer[cache.Entry]
	pieces []draftPiece
}

// draftPiece is text with the value that follows it.
type draftPiece struct {
	text []byte
	then draftValue
}

// draftValue is one that each answer has its own of.
type draftValue uint8

const (
	nothing draftValue = iota
	theAge
	theCacheStatus
	theID
	theDate
)

var draftValues = map[string]draftValue{"Age": theAge, "Cache-Status": theCacheStatus, "X-Request-Id": theID}

// draft has respondEntry write the answer, and keeps its head in the order and the
// spelling of net/http. It is nil for one that net/http would change.
func (x *exchange) draft(h *laneHead, got cache.Result) *draft {
	w := &draftWriter{header: http.Header{"X-Request-Id": {""}}}
	x.out = recorder{ResponseWriter: w}
	forwarded := x.in.Header
	x.in.Header = h.header(forwarded)
	x.respondEntry(got)
	x.in.Header = forwarded
	for _, name := range []string{"Connection", "Date", "Trailer", "Transfer-Encoding"} {
		if w.header[name] != nil {
			return nil
		}
	}
	return &draft{of: weak.Make(got.Entry), pieces: w.pieces()}
}

type draftWriter struct {
	header http.Header
	status int
}

func (w *draftWriter) Header() http.Header         { return w.header }
func (w *draftWriter) WriteHeader(status int)      { w.status = status }
func (w *draftWriter) Write(b []byte) (int, error) { return len(b), nil }

func (w *draftWriter) pieces() (all []draftPiece) {
	var text bytes.Buffer
	cut := func(then draftValue) {
		all = append(all, draftPiece{bytes.Clone(text.Bytes()), then})
		text.Reset()
	}
	text.WriteString("HTTP/1.1 " + strconv.Itoa(w.status) + " " + http.StatusText(w.status) + "\r\n")
	for _, name := range slices.Sorted(maps.Keys(w.header)) {
		if then := draftValues[name]; then != nothing {
			text.WriteString(name + ": ")
			cut(then)
			text.WriteString("\r\n")
			continue
		}
		_ = http.Header{name: w.header[name]}.Write(&text) // a buffer does not fail
	}
	text.WriteString("Date: ")
	cut(theDate)
	text.WriteString("\r\n\r\n")
	cut(nothing)
	return all
}

// write appends the head of the answer.
func (d *draft) write(b []byte, got cache.Result, id string, date []byte) []byte {
	for i := range d.pieces {
		p := &d.pieces[i]
		b = append(b, p.text...)
		switch p.then {
		case theAge:
			b = strconv.AppendInt(b, int64(got.Age/time.Second), 10)
		case theCacheStatus:
			b = append(b, cacheStatus(got)...)
		case theID:
			b = append(b, id...)
		case theDate:
			b = append(b, date...)
		}
	}
	return b
}

// answer answers a request with a hit, and does for it what ServeHTTP does. It
// reports whether it has: else nothing was done.
func (c *laneConn) answer(f *Facade, h *laneHead) (answered bool, err error) {
	began := f.options.Clock()
	m, got, ok := f.express(h)
	if !ok {
		return false, nil
	}
	x := c.exchange(f, m, h)
	v := variantOf(got.Entry, h.gzip, h.matches())
	slot := &m.drafts[v.number(h.origin, f.edge.hsts != nil && f.edge.trust.secure(x.in))]
	d := slot.Load()
	if d == nil || d.of.Value() != got.Entry {
		if d = x.draft(h, got); d == nil {
			return false, nil
		}
		slot.Store(d)
	}
	f.options.Cache.Hit()
	f.options.Metrics.begin()
	x.id, x.started, x.outcome = newID(), began, hit
	x.out.status, x.out.bytes, x.out.err = http.StatusOK, 0, nil
	if v.known {
		x.out.status = http.StatusNotModified
	}
	c.write(x, d, v, got)
	x.in.URL = m.url
	f.end(x)
	return true, x.out.err
}

func (h *laneHead) matches() []string {
	if h.match == nil {
		return nil
	}
	return []string{string(h.match)}
}

// exchange is the connection's one, made that of a request.
func (c *laneConn) exchange(f *Facade, m *meaning, h *laneHead) *exchange {
	if c.x == nil {
		c.x = &exchange{in: &http.Request{RemoteAddr: c.RemoteAddr().String()}}
	}
	c.x.in.Method, c.x.in.Header = h.method, h.forwarded(f.edge.trust.asks(c.x.in))
	c.x.edge, c.x.backend = f.edge, f.legacy
	m.apply(c.x)
	return c.x
}

// write sends an answer in one system call.
func (c *laneConn) write(x *exchange, d *draft, v variant, got cache.Result) {
	now := time.Now()
	c.boundWrite(now)
	c.head = d.write(c.head[:0], got, x.id, c.dateOf(now))
	if v.known || x.in.Method == http.MethodHead {
		_, x.out.err = c.raw.Write(c.head)
		c.head = c.head[:0]
		return
	}
	x.out.bytes, x.out.err = c.writeBoth(v.body)
}

// dateOf is a time as HTTP writes it. It changes with the second.
func (c *laneConn) dateOf(now time.Time) []byte {
	if s := now.Unix(); s != c.second {
		c.second, c.date = s, now.UTC().AppendFormat(c.date[:0], http.TimeFormat)
	}
	return c.date
}
