package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// Do calls a REST root within the limits of all calls to it. It repeats a call if that is safe,
// may help and is in the budget. Errors are the errors of fetch, [ErrOpen] or [ErrShed]. attempts is
// the number of attempts that passed breaker and queue.
func (u *Caller) Do(ctx context.Context, url string, out Request) (response Response, attempts int, err error) {
	target := u.root(url)
	if target == nil {
		panic("BUG: no such root")
	}
	ctx, cancel := context.WithTimeout(ctx, u.options.QueueTimeout+u.options.Timeout)
	defer cancel()
	target.host.earnRetry()
	for {
		next, failure := u.attempt(ctx, target, &out, attempts+1)
		if errors.Is(failure, ErrOpen) || errors.Is(failure, ErrShed) {
			if attempts == 0 {
				err = failure
			}
			return response, attempts, err // the earlier failure is more informative
		}
		response, err = next, failure
		attempts++
		if attempts > u.options.Retries || out.Method != http.MethodGet || !retryable(response, err) ||
			target.breaker.refuses() || !target.host.spendRetry() || !Sleep(ctx, backoff(attempts)) {
			return response, attempts, err
		}
	}
}

// firstBackoff is the longest pause before the first retry.
const firstBackoff = 50 * time.Millisecond

// backoff returns the pause after a number of attempts: it doubles, and half of it is random, so that
// calls that failed together are not repeated together.
func backoff(attempts int) time.Duration {
	d := firstBackoff << (attempts - 1)
	return d/2 + rand.N(d/2)
}

// attempt makes one attempt, number n, if the root and its host may be called.
func (u *Caller) attempt(ctx context.Context, target *rootState, out *Request, n int) (response Response, err error) {
	began := time.Now()
	ctx, end := tracing.Start(ctx, u.options.Tracer, "upstream", trace.SpanKindClient)
	defer func() {
		end(err, attribute.String("calfacade.root", target.Name), attribute.Int("calfacade.attempt", n),
			attribute.String("http.request.method", out.Method), attribute.Int("http.response.status_code", response.Status),
			attribute.String("error.type", string(KindOf(err))))
		u.report(target, out, time.Since(began), response, err)
	}()
	if target.breaker.refuses() {
		return Response{}, ErrOpen // without waiting for a slot
	}
	slot, err := target.host.queue.acquire(ctx, out.Class)
	if err != nil {
		return Response{}, err
	}
	defer target.host.queue.release(slot)
	epoch, err := target.breaker.allow()
	if err != nil {
		return Response{}, err
	}
	outcome := errNoOutcome // of a panic
	pause := time.Duration(0)
	defer func() { target.breaker.end(epoch, outcome, pause) }()
	header := make(http.Header, 8)
	if out.Body != nil {
		header.Set("Content-Type", "application/json")
	}
	maps.Copy(header, out.Header)
	tracing.Inject(ctx, header) // each attempt has a span
	response, err = fetch(ctx, target.host.resty, out.Method, siteurl.Join(target.URL, out.Target()), header, out.Body,
		u.options.Timeout, u.options.MaxBody)
	if err != nil {
		response = Response{} // of a body that is too large
	}
	target.removePadding(&response)
	target.watchNamespace(out, response)
	pause = u.retryAfter(out, response)
	outcome = outcomeOf(pause, response, err)
	return response, err
}

// retryAfter returns for how long a Retry-After is honoured. WordPress in maintenance sends ten minutes,
// and is back after one: probes are made as after failures. A 429 for a client with credentials or a
// password concerns that client, and must not stop the calls of others.
func (u *Caller) retryAfter(out *Request, response Response) time.Duration {
	switch {
	case response.Status == http.StatusServiceUnavailable:
		return min(RetryAfter(response.Header), u.options.MaxRetryAfter, u.options.Breaker.Open)
	case response.Status == http.StatusTooManyRequests && out.Anonymous:
		return min(RetryAfter(response.Header), u.options.MaxRetryAfter)
	}
	return 0
}

// report reports an attempt.
func (u *Caller) report(target *rootState, out *Request, took time.Duration, response Response, err error) {
	kind := KindOf(err)
	if kind != NotOpened && kind != NotQueued {
		target.calls.Add(1)
		if kind != Canceled && kind != Answered || response.Status >= http.StatusInternalServerError {
			target.failures.Add(1)
		}
	}
	switch {
	case out.Class == Write && (kind == NotOpened || kind == Connect):
		target.refused.Add(1)
	case response.Status/100 == 2:
		target.refused.Store(0)
	}
	if u.options.Called != nil {
		u.options.Called(Attempt{Root: target.Name, Status: response.Status, Failure: kind, Took: took})
	}
}

// fetch makes a request within a timeout, and reads at most limit bytes of the response. Errors wrap
// [ErrNotSent] if the server certainly received nothing, else [ErrNoAnswer], and never hold a URL. A larger
// body is cut off, and errTooBig.
func fetch(ctx context.Context, sender *resty.Client, method, url string, header http.Header, body []byte,
	timeout time.Duration, limit int64) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	request := sender.R().SetContext(ctx).SetHeaderMultiValues(header)
	if body != nil {
		request.SetBody(body)
	}
	response, err := request.Execute(method, url)
	if err != nil {
		return Response{}, callError(wrote.Load(), err)
	}
	defer response.RawBody().Close() // a failed close loses nothing
	result := Response{Reply: mapping.Reply{Status: response.StatusCode(), Header: response.Header()}}
	result.Deadline, _ = ctx.Deadline()
	content := bytes.NewBuffer(make([]byte, 0, bufferSize(response.RawResponse.ContentLength)))
	if _, err := content.ReadFrom(io.LimitReader(response.RawBody(), limit+1)); err != nil {
		return Response{}, callError(true, err)
	}
	result.Body = content.Bytes()[:min(int64(content.Len()), limit)]
	if int64(content.Len()) > limit {
		return result, errTooBig
	}
	return result, nil
}

// bufferSize returns the capacity for a body of a Content-Length; -1 is unknown, as of a decompressed body. Growing
// with [io.ReadAll] costs 8 % of the miss of a list of 50 events, and 2 % of one of ten.
func bufferSize(length int64) int64 {
	if length < 0 {
		length = 32 << 10 // a list of ten events
	}
	return min(length, maxFirstBuffer) + bytes.MinRead // to see the end without growing
}

// maxFirstBuffer limits, in bytes, the memory that a Content-Length alone takes.
const maxFirstBuffer = 1 << 20

// Response is the complete response of a backend.
type Response struct {
	mapping.Reply
	Padding  int       // bytes around the body's JSON that were removed
	Deadline time.Time // of the call and of the rewriting of its response
}

// Undecoded returns the content codings of the body, as the backend names them, if they are not
// all known; "" if the body is JSON all the same: some sites name a charset there.
func (r Response) Undecoded() string {
	codings := strings.Join(r.Header.Values(contentEncoding), ", ")
	if codings == "" || jsonscan.IsValid(r.Body) {
		return ""
	}
	return codings
}

// RetryAfter reads Retry-After, seconds or a date; 0 without the field. A date is compared
// with the Date of the same response, because it is from the same clock.
func RetryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), maxRetryAfter)) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(until.Sub(now), 0), maxRetryAfter*time.Second)
}

// maxRetryAfter caps a Retry-After, in seconds: a day.
const maxRetryAfter = 24 * 60 * 60

// BareURL removes user, query and fragment from a URL: they may hold a secret.
func BareURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "a URL that cannot be read"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Sleep reports whether it waited for d: false if ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
