package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// forward has the legacy answer, and answers with that.
func (f *Facade) forward(x *exchange) error {
	who := identityOf(x.in, f.options.Cookies)
	switch {
	case x.call.Endpoint.Writes():
		f.uncached(x, "method")
		return f.write(x, who)
	case f.options.Cache != nil && who.anonymous() && !x.call.Secret():
		return f.cached(x)
	}
	f.uncached(x, "bypass")
	got, err := f.ask(x.in.Context(), x.call, x.choice, who, &x.upstream)
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

// ask calls the legacy and tells its failures from its answers. Only record is
// changed.
func (f *Facade) ask(ctx context.Context, call *mapping.Call, choice i18n.Choice, who identity, record *upstreamRecord) (reply, error) {
	request := f.legacy.Translate(call, choice.Tell)
	began := time.Now()
	got, err := f.upstream.call(ctx, f.roots[choice.Index].Upstream, request, who)
	record.add(got.status, time.Since(began))
	if err != nil {
		return reply{}, unanswered(call, err)
	}
	return got, f.refuse(call, got)
}

// unanswered is what a call without an answer means to the client.
func unanswered(call *mapping.Call, err error) *Error {
	e := &Error{Status: http.StatusBadGateway, Code: "calendar_upstream_failed", Err: err}
	switch {
	case errors.Is(err, context.Canceled):
		return clientGone(err)
	case errors.Is(err, errNotSent):
		e.Status, e.Code = http.StatusServiceUnavailable, "calendar_upstream_unavailable"
	case call.Endpoint.Writes():
		e.Status, e.Code = http.StatusGatewayTimeout, "calendar_write_outcome_unknown"
	case errors.Is(err, context.DeadlineExceeded):
		e.Status, e.Code = http.StatusGatewayTimeout, "calendar_upstream_timeout"
	case errors.Is(err, errTooBig):
		e.Code = "calendar_upstream_invalid"
	}
	return e
}

// refuse gives the error for an answer that is no answer of the interface.
func (f *Facade) refuse(call *mapping.Call, got reply) error {
	e := &Error{Status: http.StatusBadGateway, Header: http.Header{}}
	switch {
	case got.status >= 300 && got.status < 400:
		e.Code = "calendar_upstream_invalid"
		e.Err = fmt.Errorf("upstream redirects (%d) to %s: is the upstream of this language spelled as the site spells itself, https and www?",
			got.status, redirectTarget(got.header))
	case got.status == http.StatusServiceUnavailable && !call.Endpoint.Writes():
		e.Status, e.Code = http.StatusServiceUnavailable, "calendar_upstream_unavailable"
		e.Err = errors.New("upstream status 503")
		if after := got.header.Get("Retry-After"); after != "" {
			e.Header.Set("Retry-After", after)
		}
	case got.status >= 500:
		e.Code = failureCode(call, "calendar_upstream_failed")
		e.Err = fmt.Errorf("upstream status %d", got.status)
	default:
		return nil
	}
	return e
}

// failureCode is code, but for a write that may have been made all the same.
func failureCode(call *mapping.Call, code string) string {
	if call.Endpoint.Writes() {
		return "calendar_write_outcome_unknown"
	}
	return code
}

// redirectTarget names where a redirect leads, without the query, which may hold
// a secret.
func redirectTarget(h http.Header) string {
	u, err := url.Parse(h.Get("Location"))
	if err != nil {
		return "a URL that cannot be read"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// answer rewrites the legacy's answer to call and sends it.
func (f *Facade) answer(x *exchange, call *mapping.Call, got reply, who identity) error {
	rewritten, h, err := f.rewrite(call, x.choice, got)
	if err != nil {
		return err
	}
	f.send(x, got, rewritten, h, who)
	return nil
}

// rewrite gives the facade's answer for the legacy's.
func (f *Facade) rewrite(call *mapping.Call, choice i18n.Choice, got reply) (mapping.Answer, http.Header, error) {
	var rewritten mapping.Answer
	if call.Method != http.MethodHead {
		var err error
		rewritten, err = f.rewriter.Rewrite(call, choice.Index, got.status, got.body)
		if err != nil {
			code := "calendar_upstream_invalid"
			if got.status < http.StatusBadRequest {
				code = failureCode(call, code)
			}
			return rewritten, nil, &Error{Status: http.StatusBadGateway, Code: code, Err: err}
		}
	}
	return rewritten, f.rewriter.Headers(call, choice.Index, got.status, got.header, rewritten.ID), nil
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

func (u *upstreamRecord) add(status int, took time.Duration) {
	if u == nil {
		return
	}
	u.calls++
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
