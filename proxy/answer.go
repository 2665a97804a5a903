package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
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
	got, err := f.ask(x.context(), x.call, x.choice, who, reads, &x.upstream)
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
func (f *Facade) ask(ctx context.Context, call *mapping.Call, choice i18n.Choice, who identity, rank rank, record *upstreamRecord) (reply, error) {
	out := outgoingOf(f.legacy.Translate(call, choice.Tell), who, rank)
	out.secret = call.Secret()
	out.trace = f.options.Tracer
	root := f.roots[choice.Index].Upstream
	began := time.Now()
	got, attempts, err := f.upstream.do(ctx, root, out)
	record.add(attempts, got.status, time.Since(began))
	var failed *Error
	if err != nil {
		failed = unanswered(call, err)
	} else {
		failed = refuse(call, got, out.everybodys())
	}
	if failed == nil {
		return got, nil
	}
	f.tellWhen(failed, root, got)
	return reply{}, failed
}

// unanswered is what a call without an answer means to the client.
func unanswered(call *mapping.Call, err error) *Error {
	switch {
	case errors.Is(err, context.Canceled):
		return clientGone(err)
	case errors.Is(err, errNotSent):
		return unavailable(err)
	case call.Endpoint.Writes():
		return outcomeUnknown(err)
	case timedOut(err):
		return &Error{Status: http.StatusGatewayTimeout, Code: "calendar_upstream_timeout", Err: err}
	case errors.Is(err, errTooBig):
		return invalid(err)
	}
	return &Error{Status: http.StatusBadGateway, Code: "calendar_upstream_failed", Err: err}
}

// refuse gives the error for an answer that is no answer of the interface, or nil.
// everybodys says that any client would have got it.
func refuse(call *mapping.Call, got reply, everybodys bool) *Error {
	status := fmt.Errorf("upstream status %d", got.status)
	switch {
	case got.status >= 300 && got.status < 400:
		return invalid(fmt.Errorf("upstream redirects (%d) to %s: is the upstream of this language spelled as the site spells itself, https and www?",
			got.status, redirectTarget(got.header)))
	case got.status == http.StatusTooManyRequests && everybodys:
		return unavailable(status) // it is the facade that calls too often, and no client
	case got.status >= 500 && call.Endpoint.Writes():
		return outcomeUnknown(status)
	case got.status == http.StatusServiceUnavailable:
		return unavailable(status)
	case got.status >= 500:
		return &Error{Status: http.StatusBadGateway, Code: "calendar_upstream_failed", Err: status}
	}
	return nil
}

// unavailable is for a call that certainly changed nothing, and may be repeated.
func unavailable(cause error) *Error {
	return &Error{Status: http.StatusServiceUnavailable, Code: "calendar_upstream_unavailable", Err: cause}
}

func invalid(cause error) *Error {
	return &Error{Status: http.StatusBadGateway, Code: "calendar_upstream_invalid", Err: cause}
}

// outcomeUnknown is for a write that may have been made.
func outcomeUnknown(cause error) *Error {
	return &Error{Status: http.StatusGatewayTimeout, Code: "calendar_write_outcome_unknown", Err: cause}
}

// tellWhen says in Retry-After when a call may succeed, if that is known: what
// the legacy asks for, or as long as its breaker stays open. A write that may
// have been made must not be repeated at any time.
func (f *Facade) tellWhen(e *Error, root string, got reply) {
	if e.Status < 500 || e.Code == "calendar_write_outcome_unknown" {
		return
	}
	wait := f.upstream.wait(root)
	if got.status == http.StatusServiceUnavailable || got.status == http.StatusTooManyRequests {
		wait = max(wait, retryAfter(got.header))
	}
	if errors.Is(e.Err, errOpen) || errors.Is(e.Err, errShed) {
		wait = max(wait, time.Second)
	}
	if wait > 0 {
		e.Header = http.Header{"Retry-After": {strconv.Itoa(int((wait + time.Second - 1) / time.Second))}}
	}
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
			if got.status < http.StatusBadRequest && call.Endpoint.Writes() {
				return rewritten, nil, outcomeUnknown(err)
			}
			if got.status == http.StatusTooManyRequests {
				e := unavailable(err)
				f.tellWhen(e, f.roots[choice.Index].Upstream, got)
				return rewritten, nil, e
			}
			return rewritten, nil, invalid(err)
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
