package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// response is the response of a backend, and what clients get of it.
type response struct {
	reply  upstream.Response
	body   rewrite.Result
	header http.Header
}

// backendCall is a call with what is needed to make it.
type backendCall struct {
	call     *mapping.Call
	choice   i18n.Choice
	identity identity.Identity
	class    upstream.Class
}

// call makes a call and rewrites the response. It changes nothing but record.
func (b *backend) call(ctx context.Context, c backendCall, record *upstreamRecord) (response, error) {
	got, err := b.perform(ctx, c, record)
	if err != nil {
		return response{}, err
	}
	body, header, err := b.rewrite(ctx, c.call, c.choice, got)
	return response{reply: got, body: body, header: header}, err
}

// perform makes a call, with the reads that the backend's dialect needs before and beside
// it, and converts the response to the shape of the table.
func (b *backend) perform(ctx context.Context, c backendCall, record *upstreamRecord) (upstream.Response, error) {
	if lacks := b.dialect.Lacks(c.call); len(lacks) > 0 {
		return upstream.Response{}, notSupported(lacks)
	}
	for lookup := b.dialect.Lookup(c.call); lookup != nil; lookup = b.dialect.Lookup(c.call) {
		found, err := b.perform(ctx, backendCall{lookup, c.choice, c.identity, c.class}, record)
		if err != nil || found.Status != http.StatusOK {
			return found, err
		}
		if c.call, err = b.dialect.Complete(c.call, found.Body); err != nil {
			return upstream.Response{}, incomplete(err)
		}
	}
	if u := b.dialect.Union(c.call); u != nil {
		return b.union(ctx, c, u, record)
	}
	got, err := b.send(ctx, c, b.translate(c.call, c.choice), record)
	if err != nil {
		return upstream.Response{}, err
	}
	return b.convert(ctx, c, got, record)
}

// send makes one request for a call. A response that is not of the API is an error.
func (b *backend) send(ctx context.Context, c backendCall, request mapping.Request, record *upstreamRecord) (upstream.Response, error) {
	call := c.call
	if c.identity.Authorization != "" && b.refusesCredentials {
		return upstream.Response{}, credentialsRefused()
	}
	out := outgoingOf(request, c.identity, c.class)
	out.Anonymous = out.Anonymous && !call.Secret()
	if id := idOf(ctx); id != "" {
		out.Header.Set("X-Request-Id", id)
	}
	root := b.roots[c.choice.Index].Upstream
	began := time.Now()
	got, attempts, err := b.upstream.Do(ctx, root, out)
	record.add(int32(attempts), int32(got.Status), time.Since(began)) // #nosec G115 -- a few, and three digits
	if record.first != nil && record.first.target == "" {
		*record.first = firstCall{root, out.Target}
	}
	var failed *problem.Error
	if err != nil {
		failed = callFailed(call, err)
	} else {
		failed = statusError(call, request, got, out.Anonymous)
	}
	if failed == nil {
		return got, nil
	}
	b.setRetryAfter(failed, root, got)
	return upstream.Response{}, failed
}

// outgoingOf adds the client's credentials to a request.
func outgoingOf(request mapping.Request, id identity.Identity, class upstream.Class) upstream.Request {
	out := upstream.RequestOf(request, class)
	out.Anonymous = id.Anonymous()
	id.SetHeader(out.Header)
	return out
}

// convert converts a response to the shape of the table, with the reads that it needs beside
// it. If one of them fails, so does the call: the response would be incomplete.
func (b *backend) convert(ctx context.Context, c backendCall, got upstream.Response, record *upstreamRecord) (upstream.Response, error) {
	main := mapping.Reply{Status: got.Status, Header: got.Header, Body: got.Body}
	var beside []mapping.Reply
	for _, request := range b.dialect.Beside(c.call, main, b.languageParam(c.choice)) {
		more, err := b.send(ctx, c, request, record)
		if err == nil && more.Status != http.StatusOK && !request.Tries {
			err = unusable(c.call, fmt.Errorf("upstream status %d for a read that completes the response", more.Status))
		}
		if err != nil {
			return upstream.Response{}, err
		}
		beside = append(beside, mapping.Reply{Status: more.Status, Header: more.Header, Body: more.Body})
	}
	made, err := b.dialect.Convert(c.call, main, beside...)
	if err != nil {
		return upstream.Response{}, unusable(c.call, err)
	}
	return upstream.Response{Status: made.Status, Header: made.Header, Body: made.Body, Deadline: got.Deadline}, nil
}

// rewrite makes the response for clients from the backend's, within the time of its call.
func (b *backend) rewrite(ctx context.Context, call *mapping.Call, choice i18n.Choice, got upstream.Response) (rewrite.Result, http.Header, error) {
	ctx, cancel := context.WithDeadline(ctx, got.Deadline)
	defer cancel()
	rewritten, err := b.rewriter.Rewrite(ctx, call, choice.Index, got.Status, got.Body)
	if err == nil {
		err = rewritten.Check(call, got.Status)
	}
	switch {
	case err == nil:
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return rewritten, nil, callFailed(call, err)
	case got.Status < http.StatusBadRequest && call.Endpoint.Writes():
		return rewritten, nil, outcomeUnknown(err)
	case got.Status == http.StatusTooManyRequests:
		e := unavailable(err)
		b.setRetryAfter(e, b.roots[choice.Index].Upstream, got)
		return rewritten, nil, e
	default:
		return rewritten, nil, invalid(err)
	}
	return rewritten, b.rewriter.Headers(call, choice.Index, got.Status, got.Header, rewritten), nil
}

// setRetryAfter sets Retry-After to when a call may succeed, if that is known: what the
// legacy sends, or how long its circuit breaker stays open. A write that may have been made
// must never be repeated.
func (b *backend) setRetryAfter(e *problem.Error, root string, got upstream.Response) {
	if e.Status < 500 || e.Code == "calendar_write_outcome_unknown" {
		return
	}
	wait := b.upstream.OpenFor(root)
	if got.Status == http.StatusServiceUnavailable || got.Status == http.StatusTooManyRequests {
		wait = max(wait, upstream.RetryAfter(got.Header))
	}
	if errors.Is(e.Err, upstream.ErrOpen) || errors.Is(e.Err, upstream.ErrShed) {
		wait = max(wait, time.Second)
	}
	if wait > 0 {
		e.Header = http.Header{"Retry-After": {strconv.Itoa(int((wait + time.Second - 1) / time.Second))}}
	}
}
