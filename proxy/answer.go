package proxy

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
)

// forward has a backend answer, and answers with that.
func (f *Facade) forward(x *exchange) error {
	who := identityOf(x.in, f.options.Cookies)
	switch {
	case x.call.Endpoint.Writes():
		f.uncached(x, "method")
		leave, err := f.edge.front.enter(true)
		if err != nil {
			return err
		}
		defer leave()
		return f.write(x, who)
	case f.options.Cache != nil && who.anonymous() && !x.call.Secret():
		return f.cached(x)
	}
	x.outcome = bypass
	f.uncached(x, "bypass")
	leave, err := f.edge.front.enter(false)
	if err != nil {
		return err
	}
	defer leave()
	got, err := x.backend.ask(x.context(), x.call, x.choice, who, reads, &x.upstream)
	if err != nil {
		return err
	}
	return f.answer(x, x.call, got, who)
}

// uncached says in Cache-Status why a request goes past the cache.
func (f *Facade) uncached(x *exchange, why string) {
	if f.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}

// answer rewrites the backend's answer to call and sends it.
func (f *Facade) answer(x *exchange, call *mapping.Call, got reply, who identity) error {
	rewritten, h, err := x.backend.rewrite(call, x.choice, got)
	if err != nil {
		return err
	}
	f.send(x, got, rewritten, h, who)
	return nil
}

func (f *Facade) send(x *exchange, got reply, rewritten mapping.Answer, h http.Header, who identity) {
	if nonce := got.header.Get("X-Wp-Nonce"); nonce != "" && who.cookie != "" {
		h["X-WP-Nonce"] = []string{nonce}
	}
	if !who.anonymous() || x.call.Secret() {
		private(h)
	}
	x.respond(got.status, h, rewritten.Body)
}

// private keeps an answer made for one client out of every cache on the way.
func private(h http.Header) {
	h.Set("Cache-Control", "private, no-store")
	h.Del("Expires")
}

// upstreamRecord is what the log tells of the calls a request made.
type upstreamRecord struct {
	calls  int
	status int // of the last
	took   time.Duration
}

func (u *upstreamRecord) add(calls, status int, took time.Duration) {
	u.calls += calls
	u.status = status
	u.took += took
}

func (u *upstreamRecord) fields() []zap.Field {
	if u.calls == 0 {
		return nil
	}
	return []zap.Field{
		zap.Int("upstream_calls", u.calls),
		zap.Int("upstream_status", u.status),
		zap.Float64("upstream_ms", milliseconds(u.took)),
	}
}
