package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Options configure [Run]. All fields are required, except Pages.
type Options struct {
	Site     i18n.Languages
	Pages    string    // the URL at which the pages of the site are published; "" is the site's own
	Backends []Backend // the legacy first

	// LegacyAt returns the legacy with other REST roots, by code of the language.
	LegacyAt func(roots map[string]string) Backend

	Freshness freshness.Options // of the responses of the legacy
	Clock     func() time.Time
}

// Backend is a site to probe.
type Backend struct {
	Name     string
	Dialect  mapping.API
	Roots    []rewrite.RootURLs // parallel to Options.Site; without Upstream the backend lacks the language
	Rewriter *rewrite.Rewriter
	Caller   *upstream.Caller
}

// list reads a list in the language that code names for the backend. A response without status 200 is an error.
func (b *Backend) list(ctx context.Context, root string, call *mapping.Call, code string) (upstream.Response, error) {
	var last upstream.Response
	env := mapping.Environment{Language: code, Send: func(ctx context.Context, _ *mapping.Call, r mapping.Request) (mapping.Reply, error) {
		var err error
		last, err = read(ctx, b.Caller, root, request(r))
		return last.Reply, err
	}}
	reply, err := b.Dialect.Dialect.Client(b.Dialect, env).Do(ctx, call)
	last.Reply = reply
	return last, err
}

// Finding describes the REST root of one language of a backend.
type Finding struct {
	Backend   string   `json:"backend"` // [upstream.LegacyName], or a configured one
	Language  string   `json:"language"`
	Upstream  string   `json:"upstream"`
	Reachable bool     `json:"reachable"`
	Redirects string   `json:"redirects"` // target of a redirect; "" without one
	Namespace bool     `json:"namespace"` // the root lists the namespace
	Plugin    bool     `json:"plugin"`    // the namespace responds with a list
	Zone      string   `json:"zone"`      // time zone of the site
	Auth      []string `json:"auth"`      // methods of authentication that the root lists
	Problems  []string `json:"problems"`
	Notes     []string `json:"notes"` // unusual but supported

	// Settings are the settings that settle notes.
	Settings []Setting `json:"-"`

	// Works selects the language; null if nothing that was tried does, for other backends than the legacy,
	// and with one language.
	Works *Selection `json:"works"`
}

// OK reports whether the proxy can serve this language.
func (f Finding) OK() bool { return len(f.Problems) == 0 }

// Name returns the name of the root in metrics and logs.
func (f Finding) Name() string { return upstream.RootName(f.Backend, f.Language) }

// Setting is a value for a key of the configuration. The key of a list gets one more item.
type Setting struct{ Key, Value string }

// Selection is a configuration that selects a language of the site.
type Selection struct {
	Root          string      `json:"root"` // of the proxy
	Upstream      string      `json:"upstream"`
	Select        i18n.Select `json:"select"`
	LanguageParam string      `json:"language_param"` // "" without one
	Configured    bool        `json:"configured"`     // in effect
}

// examinedRoot is a REST root with its findings.
type examinedRoot struct {
	Finding
	options  *Options
	backend  *Backend
	language int           // index
	first    *examinedRoot // of the first backend
	ended    bool          // nothing else is found, see [end]

	index    restIndex
	location *time.Location // nil if unknown
	linked   string         // the REST root in a Link of the site; "" without a Link
	insists  bool           // the root responds with forwardedHTTPS, and else redirects to https
}

// place returns the namespace of the backend.
func (r *examinedRoot) place() string { return r.backend.Dialect.Dialect.Namespace }

// split returns the URL of the site and WordPress's part of the root.
func (r *examinedRoot) split() (site, part string) {
	return r.backend.Dialect.Dialect.SplitRoot(r.Upstream)
}

// severity is the effect of a finding.
type severity int

const (
	note    severity = iota // unusual but supported
	problem                 // the proxy cannot serve the language correctly
	end                     // a problem, after which nothing else is asked or found
)

// find adds a finding that holds, unless a finding before was the end, and reports whether it was added.
func (r *examinedRoot) find(s severity, holds bool, text string, args ...any) bool {
	if !holds || r.ended {
		return false
	}
	list := &r.Problems
	if s == note {
		list = &r.Notes
	}
	*list = append(*list, fmt.Sprintf(text, args...))
	r.ended = s == end
	return true
}

// settle adds the setting that settles a note, if the note was added.
func (r *examinedRoot) settle(added bool, key, value string) {
	if added && value != "" {
		r.Settings = append(r.Settings, Setting{Key: key, Value: value})
	}
}

// readIndex reads the index of the root. If the web server knows no index, readIndex reads the start page of
// the site, because WordPress adds the URL of the root to the header of that page.
func (r *examinedRoot) readIndex(ctx context.Context) (upstream.Response, error) {
	response, _, err := r.backend.Caller.Do(ctx, r.Upstream, get(indexPath))
	if err != nil {
		return response, err
	}
	r.Reachable = true
	r.linked = linkedRoot(response.Header)
	if response.Status >= 300 && response.Status < 400 {
		r.Redirects = upstream.BareURL(response.Header.Get("Location"))
		r.insists = r.insistsOnHTTPS(ctx)
	}
	if r.linked == "" && response.Status == http.StatusNotFound {
		r.linked = r.startPageRoot(ctx)
	}
	if response.Status != http.StatusOK || json.Unmarshal(response.Body, &r.index) != nil {
		r.index = restIndex{} // which may be filled in part
		return response, nil
	}
	if r.location, err = r.index.location(); err == nil {
		r.Zone = r.location.String()
	}
	r.Auth = slices.AppendSeq(r.Auth, maps.Keys(r.index.Authentication))
	slices.Sort(r.Auth)
	r.Namespace = slices.Contains(r.index.Namespaces, r.place())
	return response, nil
}

// insistsOnHTTPS reports whether a root that redirects to https responds to the header of a proxy that terminates TLS.
func (r *examinedRoot) insistsOnHTTPS(ctx context.Context) bool {
	if r.backend != r.first.backend || !strings.HasPrefix(r.Upstream, "http:") || !strings.HasPrefix(r.Redirects, "https:") {
		return false
	}
	forwarded := get(indexPath)
	forwarded.Header = http.Header{"X-Forwarded-Proto": {"https"}}
	_, err := read(ctx, r.backend.Caller, r.Upstream, forwarded)
	return err == nil
}

// startPageRoot returns the REST root that the start page of the legacy links; "" without a link. The
// directory of another language may have the start page of the default language, with the default root.
func (r *examinedRoot) startPageRoot(ctx context.Context) string {
	if r.backend != r.first.backend {
		return ""
	}
	site, _ := r.split()
	legacy := r.options.LegacyAt(map[string]string{r.Language: site})
	response, err := read(ctx, legacy.Caller, site, get("/"))
	if err != nil {
		return ""
	}
	root := linkedRoot(response.Header)
	if r == r.first || strings.HasPrefix(root, site+"/") {
		return root
	}
	return ""
}

// readList reads a list of one item, and checks whether the proxy could serve the list.
func (r *examinedRoot) readList(ctx context.Context) (response upstream.Response, err error) {
	call := mapping.SmallestList()
	b := r.backend
	if response, err = b.list(ctx, r.Upstream, call, ""); err == nil {
		err = b.check(ctx, call, r.language, response)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", call.Endpoint.Name(), err)
	}
	return response, err
}

// check reports whether the proxy could serve the response to a call.
func (b *Backend) check(ctx context.Context, call *mapping.Call, language int, response upstream.Response) error {
	ctx, cancel := context.WithDeadline(ctx, response.Deadline)
	defer cancel()
	result, err := b.Rewriter.Rewrite(ctx, call, language, response.Status, response.Body)
	if err == nil {
		err = result.Check(call, response.Status)
	}
	if err != nil {
		return fmt.Errorf("%w; it begins %.80q", err, response.Body)
	}
	return nil
}
