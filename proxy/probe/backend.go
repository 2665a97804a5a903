package probe

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Options configure [Run]. All fields are required, except Pages.
type Options struct {
	Site     i18n.Site
	Pages    string    // the URL at which the pages of the site are published; "" is the site's own
	Backends []Backend // the legacy first

	// LegacyAt returns the legacy with other REST roots, by code of the language.
	LegacyAt func(roots map[string]string) Backend

	// Unshared returns why a response to an anonymous client is not cached for others; "" if it is.
	Unshared func(http.Header) string

	Clock func() time.Time
}

// Backend is a site to probe.
type Backend struct {
	Name     string
	Dialect  mapping.Backend
	Roots    []rewrite.Root // parallel to Options.Site; without Upstream the backend lacks the language
	Rewriter *rewrite.Rewriter
	Client   Client
}

// Client calls a backend anonymously.
type Client interface {
	// Do sends a request to a REST root, see [upstream.Caller.Do].
	Do(ctx context.Context, root string, request upstream.Request) (response upstream.Response, attempts int, err error)

	// Convert returns the response to call as the table describes it. It may send other
	// requests that the response depends on.
	Convert(ctx context.Context, call *mapping.Call, language i18n.Choice, response upstream.Response) (upstream.Response, error)
}

// request returns the anonymous request for a call in a language, as the parameter of the
// backend names it.
func (b *Backend) request(call *mapping.Call, language string) upstream.Request {
	return upstream.RequestOf(b.Dialect.Translate(call, language), upstream.Read)
}

// indexRequest reads the index of a REST root.
var indexRequest = upstream.Request{Method: http.MethodGet, Target: "/", Class: upstream.Read}

// restIndex is the index as WordPress sends it.
type restIndex struct {
	URL            string         `json:"url"`       // of WordPress; prefix of image URLs
	Home           string         `json:"home"`      // the start page; prefix of the pages of the root's language
	Namespace      string         `json:"namespace"` // of the index of a namespace; "" in that of a root
	Namespaces     []string       `json:"namespaces"`
	TimezoneString string         `json:"timezone_string"`
	GMTOffset      json.Number    `json:"gmt_offset"`
	Authentication map[string]any `json:"authentication"`

	header http.Header // of the response
}
