package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// backend is a site that answers calls: the legacy, or one that is to take its
// place.
type backend struct {
	name               string
	speech             mapping.Backend
	roots              []rewrite.Root // parallel to Options.Site
	upstream           *upstream.Caller
	rewriter           *rewrite.Rewriter
	refusesCredentials bool   // of clients: those of the operator have their place
	shape              string // begins the keys of its answers in the cache
}

// newBackend makes what calls a backend, in the manner of the legacy's options.
func newBackend(is BackendOptions, o Options) *backend {
	if is.Name != upstream.LegacyName {
		o.Upstream.Access = upstream.AccessOptions{} // another site's, and its credentials
	}
	b := &backend{
		name:   is.Name,
		speech: is.Speech,
		shape:  shapeOf(is, o),

		refusesCredentials: o.Upstream.Access.RefusesCredentials(),
	}
	for _, l := range o.Site {
		b.roots = append(b.roots, rewrite.Root{
			Language: l.Code, Upstream: is.Upstreams[l.Code], Public: o.PublicURL + l.Root, Aliases: is.LanguageAliases[l.Code],
		})
	}
	b.speech.AsIs = o.UpdatesAsIs
	var roots []upstream.Root
	for _, r := range b.roots {
		roots = append(roots, upstream.Root{Name: upstream.RootName(is.Name, r.Language), URL: r.Upstream})
	}
	check := upstream.RequestOf(b.speech.Translate(mapping.SmallestList(), ""), upstream.Read)
	o.Upstream.HealthCheck = &check
	b.upstream = upstream.New(is.Name, o.Upstream, roots, o.Hosts)
	b.rewriter = rewrite.New(b.speech, spelled(b.roots, o.Upstream.Access.Host),
		rewrite.Spellings{Aliases: is.SiteAliases, Pages: o.Pages, WordPress: is.WordPress})
	return b
}

// spelled returns the roots as the site spells them in its links; host is what the site
// is called by, "" for as in its URL.
func spelled(roots []rewrite.Root, host string) []rewrite.Root {
	if host == "" {
		return roots
	}
	all := make([]rewrite.Root, 0, len(roots))
	for _, r := range roots {
		if u, err := url.Parse(r.Upstream); err == nil && r.Upstream != "" {
			u.Host = host
			r.Upstream = u.String()
		}
		all = append(all, r)
	}
	return all
}

// speaks reports whether the backend has the language of a choice.
func (b *backend) speaks(choice i18n.Choice) bool { return b.roots[choice.Index].Upstream != "" }

// tell is what the backend is told in its language parameter. One that is not the
// legacy may have the same root for several languages, which nothing else tells
// apart.
func (b *backend) tell(choice i18n.Choice) string {
	root := b.roots[choice.Index]
	shared := func(r rewrite.Root) bool { return r.Upstream == root.Upstream && r.Language != root.Language }
	if b.name == upstream.LegacyName || choice.Tell != "" || choice.ByPath && !slices.ContainsFunc(b.roots, shared) {
		return choice.Tell
	}
	return root.Language
}

// request gives the request that answers a call, in the terms of the backend.
func (b *backend) request(call *mapping.Call, choice i18n.Choice) mapping.Request {
	return b.speech.Translate(b.rewriter.FromPages(call, choice.Index), b.tell(choice))
}

// keyOf names the answer to a read, in the cache.
func (b *backend) keyOf(call *mapping.Call, language string) string {
	return b.shape + ":" + call.Key(language)
}

// answer is what a backend answered, and what that is for clients.
type answer struct {
	reply  upstream.Response
	body   rewrite.Answer
	header http.Header
}

// question is a call with what is needed to ask it.
type question struct {
	call   *mapping.Call
	choice i18n.Choice
	who    identity.Identity
	class  upstream.Class
}

// answer asks the backend. Only record is changed.
func (b *backend) answer(ctx context.Context, q question, record *upstreamRecord) (answer, error) {
	got, err := b.ask(ctx, q, record)
	if err != nil {
		return answer{}, err
	}
	body, header, err := b.rewrite(q.call, q.choice, got)
	return answer{got, body, header}, err
}

// ask has the backend answer, in the shape of the table. A read may take others
// before it or beside it.
func (b *backend) ask(ctx context.Context, q question, record *upstreamRecord) (upstream.Response, error) {
	if lacks := b.speech.Lacks(q.call); len(lacks) > 0 {
		return upstream.Response{}, notSupported(lacks)
	}
	for lookup := b.speech.Lookup(q.call); lookup != nil; lookup = b.speech.Lookup(q.call) {
		found, err := b.ask(ctx, question{lookup, q.choice, q.who, q.class}, record)
		if err != nil || found.Status != http.StatusOK {
			return found, err
		}
		if q.call, err = b.speech.Complete(q.call, found.Body); err != nil {
			return upstream.Response{}, incomplete(err)
		}
	}
	got, err := b.send(ctx, q, b.request(q.call, q.choice), record)
	if err != nil {
		return upstream.Response{}, err
	}
	return b.convert(ctx, q, got, record)
}

// send makes one request for a question, and tells failures from answers.
func (b *backend) send(ctx context.Context, q question, request mapping.Request, record *upstreamRecord) (upstream.Response, error) {
	call := q.call
	if q.who.Authorization != "" && b.refusesCredentials {
		return upstream.Response{}, credentialsRefused()
	}
	out := outgoingOf(request, q.who, q.class)
	out.Anonymous = out.Anonymous && !call.Secret()
	if id := idOf(ctx); id != "" {
		out.Header.Set("X-Request-Id", id)
	}
	root := b.roots[q.choice.Index].Upstream
	began := time.Now()
	got, attempts, err := b.upstream.Do(ctx, root, out)
	record.add(attempts, got.Status, time.Since(began))
	var failed *problem.Error
	if err != nil {
		failed = unanswered(call, err)
	} else {
		failed = refuse(call, request, got, out.Anonymous)
	}
	if failed == nil {
		return got, nil
	}
	b.tellWhen(failed, root, got)
	return upstream.Response{}, failed
}

// outgoingOf returns the call that a request is.
func outgoingOf(request mapping.Request, who identity.Identity, class upstream.Class) upstream.Request {
	out := upstream.RequestOf(request, class)
	out.Anonymous = who.Anonymous()
	who.SetHeader(out.Header)
	return out
}

// convert gives an answer the shape of the table, with what has to be read beside
// it. Where that fails the answer is not whole, and so is none.
func (b *backend) convert(ctx context.Context, q question, got upstream.Response, record *upstreamRecord) (upstream.Response, error) {
	answer := mapping.Reply{Status: got.Status, Header: got.Header, Body: got.Body}
	var beside []mapping.Reply
	for _, request := range b.speech.Beside(q.call, answer, b.tell(q.choice)) {
		more, err := b.send(ctx, q, request, record)
		if err == nil && more.Status != http.StatusOK {
			err = unusable(q.call, fmt.Errorf("upstream status %d beside the answer", more.Status))
		}
		if err != nil {
			return upstream.Response{}, err
		}
		beside = append(beside, mapping.Reply{Status: more.Status, Header: more.Header, Body: more.Body})
	}
	made, err := b.speech.Convert(q.call, answer, beside...)
	if err != nil {
		return upstream.Response{}, unusable(q.call, err)
	}
	return upstream.Response{Status: made.Status, Header: made.Header, Body: made.Body}, nil
}

// rewrite gives the facade's answer for the backend's.
func (b *backend) rewrite(call *mapping.Call, choice i18n.Choice, got upstream.Response) (rewrite.Answer, http.Header, error) {
	rewritten, err := b.rewriter.Rewrite(call, choice.Index, got.Status, got.Body)
	switch {
	case err == nil:
	case got.Status < http.StatusBadRequest && call.Endpoint.Writes():
		return rewritten, nil, outcomeUnknown(err)
	case got.Status == http.StatusTooManyRequests:
		e := unavailable(err)
		b.tellWhen(e, b.roots[choice.Index].Upstream, got)
		return rewritten, nil, e
	default:
		return rewritten, nil, invalid(err)
	}
	return rewritten, b.rewriter.Headers(call, choice.Index, got.Status, got.Header, rewritten), nil
}

// tellWhen says in Retry-After when a call may succeed, if that is known: what
// the legacy asks for, or as long as its breaker stays open. A write that may
// have been made must not be repeated at any time.
func (b *backend) tellWhen(e *problem.Error, root string, got upstream.Response) {
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
