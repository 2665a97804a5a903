package proxy

import (
	"net/url"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// backend is a site that serves calls: the legacy, or one that may replace it.
type backend struct {
	name               string
	dialect            mapping.Backend
	roots              []rewrite.Root // parallel to Options.Site
	upstream           *upstream.Caller
	rewriter           *rewrite.Rewriter
	refusesCredentials bool   // of clients: Authorization has those of the operator
	shape              string // prefix of the keys of its responses in the cache
}

// newBackend makes a backend. The options for calls to the legacy apply to all backends,
// except its credentials.
func newBackend(is BackendOptions, o Options) *backend {
	if is.Name != upstream.LegacyName {
		o.Upstream.Access = upstream.AccessOptions{} // for the legacy alone
	}
	b := &backend{
		name:    is.Name,
		dialect: is.Dialect,
		shape:   shapeOf(is, o),

		refusesCredentials: o.Upstream.Access.RefusesCredentials(),
	}
	for _, l := range o.Site {
		b.roots = append(b.roots, rewrite.Root{
			Language: l.Code, Upstream: is.Upstreams[l.Code], Public: o.PublicURL + l.Root, Aliases: is.LanguageAliases[l.Code],
		})
	}
	b.dialect.AsIs = o.UpdatesAsIs
	var roots []upstream.Root
	for _, r := range b.roots {
		roots = append(roots, upstream.Root{Name: upstream.RootName(is.Name, r.Language), URL: r.Upstream})
	}
	check := upstream.RequestOf(b.dialect.Translate(mapping.SmallestList(), ""), upstream.Read)
	o.Upstream.HealthCheck = &check
	b.upstream = upstream.New(is.Name, o.Upstream, roots, o.Hosts)
	spellings := rewrite.Spellings{Aliases: is.SiteAliases, Pages: o.Pages, WordPress: is.WordPress}
	if o.LegacyClients != nil {
		spellings.Legacy = &rewrite.LegacyNames{Backend: o.LegacyClients.Names, Candidate: is.Name != upstream.LegacyName}
	}
	b.rewriter = rewrite.New(b.dialect, spelled(b.roots, o.Upstream.Access.Host), spellings)
	return b
}

// spelled returns the roots as the site spells them in its links. host is the Host header
// field of calls; "" is the host of the URL.
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

// hasLanguage reports whether the backend has a root for the language of a choice.
func (b *backend) hasLanguage(choice i18n.Choice) bool { return b.roots[choice.Index].Upstream != "" }

// languageParam returns the value of the backend's language parameter. A candidate may have
// one root for several languages, which only this parameter distinguishes.
func (b *backend) languageParam(choice i18n.Choice) string {
	root := b.roots[choice.Index]
	shared := func(r rewrite.Root) bool { return r.Upstream == root.Upstream && r.Language != root.Language }
	if b.name == upstream.LegacyName || choice.Tell != "" || choice.ByPath && !slices.ContainsFunc(b.roots, shared) {
		return choice.Tell
	}
	return root.Language
}

// translate translates a call to the dialect of the backend.
func (b *backend) translate(call *mapping.Call, choice i18n.Choice) mapping.Request {
	return b.dialect.Translate(b.rewriter.FromPages(call, choice.Index), b.languageParam(choice))
}

// keyOf returns the key of the response to a read in the cache.
func (b *backend) keyOf(call *mapping.Call, language string) string {
	return b.shape + ":" + call.Key(language)
}
