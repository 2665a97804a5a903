package proxy

import (
	"maps"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// hasLane reports whether hits of the facade may be answered in the lane at all:
// whether nothing is done for each request but what the lane does too.
func (f *Facade) hasLane() bool {
	o := &f.options
	return o.Cache != nil && o.Tracer == nil && !o.ServerTiming && f.stage == nil && f.edge.reads == nil
}

// express finds the fresh hit that a request is for, if the lane may answer it.
func (f *Facade) express(h *laneHead) (m *target, got cache.Result, ok bool) {
	if h.leaves || !f.hasLane() || h.cookie && f.options.Cookies || h.origin && !f.edge.anyOrigin {
		return nil, got, false
	}
	if m, ok = f.targets.known.GetIfPresent(string(h.target)); !ok {
		return nil, got, false
	}
	got, ok = f.options.Cache.Fresh(m.key, func(e *cache.Entry) bool { return e.Status == http.StatusOK })
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

// header is what of the request the answer depends on, for who prepares a head.
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
	n := v.number(h.origin, f.edge.hsts != nil && f.edge.trust.secure(x.in))
	begin := f.edge.headOf(got.Entry, n)
	if begin == nil {
		if begin = x.prepare(h, got); begin == nil {
			return false, nil
		}
		f.keepHead(m.key, got.Entry, n, begin)
	}
	f.options.Cache.Hit()
	f.options.Metrics.Begin()
	x.id, x.started, x.outcome = newID(), began, telemetry.Hit
	x.out.status, x.out.bytes, x.out.err = http.StatusOK, 0, nil
	if v.known {
		x.out.status = http.StatusNotModified
	}
	c.write(x, begin, v, got)
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
func (c *laneConn) exchange(f *Facade, m *target, h *laneHead) *exchange {
	if c.x == nil {
		c.x = &exchange{in: &http.Request{RemoteAddr: c.RemoteAddr().String()}}
	}
	c.x.in.Method, c.x.in.Header = h.method, h.forwarded(f.edge.trust.asks(c.x.in))
	c.x.edge, c.x.backend = f.edge, f.legacy
	c.x.aim(*m)
	return c.x
}

// write sends an answer in one system call.
func (c *laneConn) write(x *exchange, begin *head, v variant, got cache.Result) {
	now := time.Now()
	c.boundWrite(now)
	c.head = begin.write(c.head[:0], got, x.id, c.dateOf(now))
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
