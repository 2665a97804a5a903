package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// backend is a site that serves calls: the legacy, or one that may replace it.
type backend struct {
	name               string
	dialect            mapping.API
	roots              []rewrite.RootURLs // parallel to Options.Site
	upstream           *upstream.Caller
	rewriter           *rewrite.Rewriter
	refusesCredentials bool   // of clients: Authorization has the operator's
	shape              string // prefix of the keys of the backend's responses in the cache
}

// newBackend makes a backend. The options for calls to the legacy apply to all backends, except the
// credentials.
func newBackend(settings BackendOptions, o Options) *backend {
	if settings.Name != upstream.LegacyName {
		o.Upstream.Access = upstream.AccessOptions{} // for the legacy alone
	}
	b := &backend{
		name:    settings.Name,
		dialect: settings.Dialect,
		shape:   shapeOf(settings, o),

		refusesCredentials: o.Upstream.Access.RefusesCredentials(),
	}
	b.dialect.AsIs = o.UpdatesAsIs
	var roots []upstream.Root
	var spelled []rewrite.RootURLs // as the site spells them in its links
	for _, l := range o.Site {
		root := rewrite.RootURLs{Language: l.Code, Upstream: settings.Upstreams[l.Code], Public: o.PublicURL + l.Root}
		if settings.Name == upstream.LegacyName {
			root.Upstream = cmp.Or(root.Upstream, l.Upstream)
			root.Aliases = l.Aliases
		}
		b.roots = append(b.roots, root)
		roots = append(roots, upstream.Root{Name: upstream.RootName(settings.Name, l.Code), URL: root.Upstream})
		if u, err := url.Parse(root.Upstream); err == nil && root.Upstream != "" {
			u.Host = cmp.Or(o.Upstream.Access.Host, u.Host)
			root.Upstream = u.String()
		}
		spelled = append(spelled, root)
	}
	b.upstream = upstream.New(settings.Name, o.Upstream, roots, o.Hosts)
	spellings := rewrite.Spellings{Aliases: settings.SiteAliases, Pages: o.Pages, WordPress: settings.WordPress}
	if o.LegacyClients != nil {
		spellings.Legacy = &rewrite.LegacyNames{API: o.LegacyClients.Names, Candidate: settings.Name != upstream.LegacyName}
	}
	b.rewriter = rewrite.New(b.dialect, spelled, spellings)
	return b
}

// hasLanguage reports whether the backend has a root for the language of a choice.
func (b *backend) hasLanguage(choice i18n.Choice) bool { return b.roots[choice.Index].Upstream != "" }

// languageParam returns the value of the backend's language parameter. A candidate may have
// one root for several languages, which only this parameter distinguishes.
func (b *backend) languageParam(choice i18n.Choice) string {
	root := b.roots[choice.Index]
	shared := func(r rewrite.RootURLs) bool { return r.Upstream == root.Upstream && r.Language != root.Language }
	if b.name == upstream.LegacyName || choice.Tell != "" || choice.ByPath && !slices.ContainsFunc(b.roots, shared) {
		return choice.Tell
	}
	return root.Language
}

// neutralResponse is the response of a backend, and the body and header that clients get.
type neutralResponse struct {
	reply  upstream.Response
	body   rewrite.Result
	header http.Header
	old    bool // a cache at the site had stored the response before the last change of the items
}

// backendCall is a call with everything that is needed to send the call.
type backendCall struct {
	call     *mapping.Call
	choice   i18n.Choice
	identity edge.Identity
	class    upstream.Class
	request  string // id of the client's request, which joins the logs of both; "" without a request
	shadow   bool   // for a comparison alone: no client gets the response

	description *mapping.Request // see [Facade.describes]; nil: the call is of a row

	past   past          // how the call passes a cache at the site
	began  time.Time     // for the age of a response that such a cache had stored
	stored *oldestStored // collects the oldest of the responses; nil collects nothing
}

// shadowField marks calls for a comparison, so that a site can leave such calls out of the statistics.
const shadowField = "X-Calfacade-Shadow"

// withCall returns the same for another call.
func (c backendCall) withCall(call *mapping.Call) backendCall {
	c.call = call
	return c
}

// calls are those to backends that a request caused.
type calls struct {
	count  int32
	status int32 // of the last
	took   time.Duration
}

func (c *calls) add(count, status int32, took time.Duration) {
	c.count += count
	c.status = status
	c.took += took
}

// call makes a call and rewrites the response, and changes nothing but record.
func (b *backend) call(ctx context.Context, c backendCall, record *calls) (neutralResponse, error) {
	if c.description != nil {
		return b.describe(ctx, c, record)
	}
	reply, err := b.do(ctx, c, record)
	if err != nil {
		return neutralResponse{}, err
	}
	return b.rewrite(ctx, c.call, c.choice, reply)
}

// do makes a call by the client of the backend's dialect.
func (b *backend) do(ctx context.Context, c backendCall, record *calls) (upstream.Response, error) {
	var last upstream.Response
	client := b.client(c, mapping.Environment{
		Send: func(ctx context.Context, call *mapping.Call, request mapping.Request) (mapping.Reply, error) {
			var err error
			last, err = b.send(ctx, c.withCall(call), request, record)
			return last.Reply, err
		},
		Accept: func(ctx context.Context, lookup *mapping.Call, reply mapping.Reply) error {
			_, err := b.rewrite(ctx, lookup, c.choice, withReply(last, reply))
			return err
		},
	})
	reply, err := client.Do(ctx, b.rewriter.FromPages(c.call, c.choice.Index))
	if err != nil {
		return upstream.Response{}, unusable(c.call, false, err)
	}
	return withReply(last, reply), nil
}

// withReply returns a response with the reply that a dialect made of the response.
func withReply(r upstream.Response, reply mapping.Reply) upstream.Response {
	r.Reply = reply
	return r
}

// client makes the client for a call.
func (b *backend) client(c backendCall, env mapping.Environment) mapping.Client {
	env.Language = b.languageParam(c.choice)
	return b.dialect.Dialect.Client(b.dialect, env)
}

// send makes one request for a call. A response that is not of the API is an error.
func (b *backend) send(ctx context.Context, c backendCall, request mapping.Request, record *calls) (upstream.Response, error) {
	call := c.call
	if c.identity.Authorization != "" && b.refusesCredentials {
		return upstream.Response{}, credentialsRefused()
	}
	out := upstream.Request{Request: request, Class: c.class, Anonymous: c.identity.Anonymous() && !call.Secret()}
	out.Header = make(http.Header, 8)
	maps.Copy(out.Header, request.Header)
	if !c.identity.Anonymous() {
		c.identity.SetHeader(out.Header)
	}
	if c.request != "" {
		out.Header.Set("X-Request-Id", c.request)
	}
	if c.shadow {
		out.Header.Set(shadowField, "1")
	}
	if c.past != notPast {
		c.past.set(&out.Request, out.Header)
	}
	root := b.roots[c.choice.Index].Upstream
	began := time.Now()
	resp, attempts, err := b.upstream.Do(ctx, root, out)
	record.add(int32(attempts), int32(resp.Status), time.Since(began)) // #nosec G115 -- a few, and three digits
	if c.stored != nil {
		c.stored.add(upstream.StoredBy(resp.Header, c.began), root)
	}
	var failed *problem.Error
	if err != nil {
		failed = callFailed(call, err)
	} else {
		failed = statusError(call, request, resp, out.Anonymous)
	}
	if failed == nil {
		return resp, nil
	}
	setRetryAfter(failed, b.upstream.OpenFor(root), resp)
	return upstream.Response{}, failed
}

// rewrite makes the response for clients from the backend's response, before the deadline of the call.
func (b *backend) rewrite(ctx context.Context, call *mapping.Call, choice i18n.Choice, resp upstream.Response) (neutralResponse, error) {
	ctx, cancel := context.WithDeadline(ctx, resp.Deadline)
	defer cancel()
	rewritten, err := b.rewriter.Rewrite(ctx, call, choice.Index, resp.Status, resp.Body)
	if err == nil {
		err = rewritten.Check(call, resp.Status)
	}
	switch {
	case err == nil:
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return neutralResponse{}, callFailed(call, err)
	case resp.Status < http.StatusBadRequest && call.Endpoint.Writes():
		return neutralResponse{}, outcomeUnknown(err)
	case resp.Status == http.StatusTooManyRequests:
		e := unavailable(err)
		setRetryAfter(e, b.upstream.OpenFor(b.roots[choice.Index].Upstream), resp)
		return neutralResponse{}, e
	default:
		return neutralResponse{}, invalid(err)
	}
	header := b.rewriter.Headers(call, choice.Index, resp.Status, resp.Header, rewritten)
	return neutralResponse{reply: resp, body: rewritten, header: header}, nil
}

// describe asks for a description of the backend's interface.
func (b *backend) describe(ctx context.Context, c backendCall, record *calls) (neutralResponse, error) {
	resp, err := b.send(ctx, c, *c.description, record)
	if err != nil {
		return neutralResponse{}, err
	}
	switch {
	case resp.Status == http.StatusNotFound && mapping.CodeOf(resp.Body) == problem.NoRoute().Code:
		return neutralResponse{}, problem.NoRoute() // the plugin is off (recording broken/en/plugin-off-namespace)
	case resp.Status == http.StatusUnauthorized, resp.Status == http.StatusForbidden: // closed (recordings closed/en/login-required-*)
	case resp.Status != http.StatusOK:
		return neutralResponse{}, invalid(fmt.Errorf("upstream status %d for a description", resp.Status))
	case !legacyclients.Describes(*c.description, resp.Body):
		return neutralResponse{}, invalid(errors.New("the response is not a description"))
	}
	body, err := b.rewriter.Describe(ctx, c.choice.Index, resp.Body)
	if err != nil {
		return neutralResponse{}, invalid(err)
	}
	h := http.Header{}
	allow := resp.Header.Get("Allow")
	if allow != "" {
		h["Allow"] = []string{allow}
	}
	return neutralResponse{reply: resp, body: rewrite.Result{Body: body}, header: h}, nil
}
