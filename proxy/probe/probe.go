package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Options configure [Run]. All fields are required, except Pages.
type Options struct {
	Site     i18n.Site
	Pages    string    // the URL at which the pages of the site are published; "" is the site's own
	Backends []Backend // the legacy first

	// LegacyAt returns the legacy with other REST roots, by code of the language.
	LegacyAt func(roots map[string]string) Backend

	// Unshared returns why a response to an anonymous client is not cached for others, and the cookie that is the cause;
	// "" if it is, or if the cause is another.
	Unshared func(http.Header) (why, cookie string)

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

// get requests a path below a REST root.
func (b *Backend) get(ctx context.Context, root, path string) (upstream.Response, error) {
	got, _, err := b.Client.Do(ctx, root, upstream.Request{Method: http.MethodGet, Target: path, Class: upstream.Read})
	return got, err
}

// list requests a list below a REST root, in a language as the parameter of the backend names it.
func (b *Backend) list(ctx context.Context, root string, call *mapping.Call, language string) (upstream.Response, error) {
	got, _, err := b.Client.Do(ctx, root, upstream.RequestOf(b.Dialect.Translate(call, language), upstream.Read))
	switch {
	case err != nil:
	case got.Status >= 300 && got.Status < 400:
		err = fmt.Errorf("redirects to %s", upstream.RedirectTarget(got.Header))
	case got.Status != http.StatusOK:
		err = fmt.Errorf("status %d", got.Status)
	}
	return got, err
}

// Run probes the REST roots of all languages, backend by backend, and what selects the
// language of the legacy's responses.
func Run(ctx context.Context, o Options) []Finding {
	var roots []*root
	for i := range o.Backends {
		b := &o.Backends[i]
		for language, known := range b.Roots {
			if known.Upstream == "" {
				continue
			}
			r := newRoot(&o, b, language)
			roots = append(roots, r)
			r.first = roots[0]
			r.examine(ctx)
		}
	}
	compareLanguages(ctx, &o, roots[:len(o.Backends[0].Roots)])
	var findings []Finding
	for _, r := range roots {
		findings = append(findings, r.Finding)
	}
	return findings
}

// root is a REST root, and what was found out about it.
type root struct {
	Finding
	options  *Options
	backend  *Backend
	language int   // index
	first    *root // of the first backend

	// The answer to the last question.
	got upstream.Response
	err error

	index  restIndex
	linked string // the REST root in a Link of the site; "" for none
	change mapping.DescriptionChange

	selected
}

func newRoot(o *Options, b *Backend, language int) *root {
	known := b.Roots[language]
	return &root{options: o, backend: b, language: language, Finding: Finding{
		Backend: b.Name, Language: known.Language, Upstream: known.Upstream,
		Auth: []string{}, Problems: []string{}, Notes: []string{},
	}}
}

// question is what a site is asked.
type question int

const (
	whichIndex    question = iota // of the REST root
	whichList                     // of one event
	whichSite                     // nothing more: the index and the list of a WordPress
	whichDocument                 // of the API
	whichLanguage                 // what selects it, see [compareLanguages]
)

// examine asks one question after the other, and adds what the answers show.
func (r *root) examine(ctx context.Context) {
	neutral := r.backend.Dialect.Dialect == mapping.Neutral // it need not be WordPress, which has an index
	if !neutral {
		r.askIndex(ctx)
		if r.add(whichIndex) {
			return
		}
	}
	r.askList(ctx)
	if r.add(whichList) {
		return
	}
	r.Reachable, r.Namespace, r.Plugin = true, true, true
	if !neutral {
		r.add(whichSite)
	}
	if r.backend.Dialect.Dialect.Description != nil {
		r.askDocument(ctx)
		r.add(whichDocument)
	}
}

// askIndex reads the index of the root, and if the web server knows none, the start page of
// the site, whose header WordPress adds the URL of the root to.
func (r *root) askIndex(ctx context.Context) {
	r.got, r.err = r.backend.get(ctx, r.Upstream, indexPath)
	if r.err != nil {
		return
	}
	r.Reachable, r.linked = true, linkedRoot(r.got.Header)
	if r.got.Status >= 300 && r.got.Status < 400 {
		r.Redirects = upstream.RedirectTarget(r.got.Header)
	}
	if r.linked == "" && r.got.Status == http.StatusNotFound {
		r.linked = r.startPageRoot(ctx)
	}
	if r.got.Status != http.StatusOK || json.Unmarshal(r.got.Body, &r.index) != nil {
		r.index = restIndex{} // which may be filled in part
		return
	}
	if zone, err := r.index.location(); err == nil {
		r.Zone = zone.String()
	}
	for name := range r.index.Authentication {
		r.Auth = append(r.Auth, name)
	}
	slices.Sort(r.Auth)
	r.Namespace = slices.Contains(r.index.Namespaces, r.place())
}

// startPageRoot returns the REST root that the start page of the legacy links; "" for none. The
// directory of another language may have the start page of the default language, with its root.
func (r *root) startPageRoot(ctx context.Context) string {
	if r.backend != r.first.backend {
		return ""
	}
	site, _ := r.split()
	legacy := r.options.LegacyAt(map[string]string{r.Language: site})
	got, err := legacy.get(ctx, site, "/")
	if err != nil || got.Status != http.StatusOK {
		return ""
	}
	if root := linkedRoot(got.Header); r == r.first || strings.HasPrefix(root, site+"/") {
		return root
	}
	return ""
}

// askList reads a list of one item, and checks whether the proxy could serve it.
func (r *root) askList(ctx context.Context) {
	call, b := mapping.SmallestList(), r.backend
	if r.got, r.err = b.list(ctx, r.Upstream, call, ""); r.err == nil {
		r.err = b.check(ctx, call, r.language, r.got)
	}
	if r.err != nil {
		r.err = fmt.Errorf("%s: %w", call.Endpoint.Name(), r.err)
	}
}

// check reports whether the proxy could serve the response to a call.
func (b *Backend) check(ctx context.Context, call *mapping.Call, language int, got upstream.Response) error {
	got, err := b.Client.Convert(ctx, call, i18n.Choice{Index: language}, got)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, got.Deadline)
	defer cancel()
	made, err := b.Rewriter.Rewrite(ctx, call, language, got.Status, got.Body)
	if err == nil {
		err = made.Check(call, got.Status)
	}
	if err != nil {
		return fmt.Errorf("%w; it begins %.80q", err, got.Body)
	}
	return nil
}

// askDocument compares the site's description of its API with what the dialect was made from.
func (r *root) askDocument(ctx context.Context) {
	d := r.backend.Dialect.Dialect.Description
	if r.got, r.err = r.backend.get(ctx, r.Upstream, "/"+r.place()+d.Path); r.err == nil && r.got.Status != http.StatusOK {
		r.err = fmt.Errorf("status %d", r.got.Status)
	}
	if r.err == nil {
		r.change, r.err = d.Compare(r.got.Body)
	}
	if r.err == nil {
		r.change.Changes = append([]string{}, r.change.Changes...) // JSON has no null
		r.Document = &r.change
	}
}

// place returns the namespace of the backend.
func (r *root) place() string { return r.backend.Dialect.Place() }

// noRoot reports that the response is no index, and has one of the statuses, if there are any.
func (r *root) noRoot(statuses ...int) bool {
	isIndex := r.got.Status == http.StatusOK && (r.index.Namespace != "" || r.index.Namespaces != nil)
	return !isIndex && (statuses == nil || slices.Contains(statuses, r.got.Status))
}

// instead describes a response that is no index.
func (r *root) instead() string {
	var failure struct {
		Code string `json:"code"` // as WordPress sends errors
	}
	_ = json.Unmarshal(r.got.Body, &failure) // anything else has no code
	text := fmt.Sprintf("status %d, ", r.got.Status)
	switch codings := r.got.Undecoded(); {
	case codings != "":
		return text + fmt.Sprintf("the content coding %.40q, which is not decoded", codings)
	case title(r.got) != "":
		return text + fmt.Sprintf("an HTML page titled %q", title(r.got))
	case isPage(r.got):
		return text + "an HTML page"
	case failure.Code != "":
		return text + fmt.Sprintf("code %q", failure.Code)
	case json.Valid(r.got.Body):
		return text + fmt.Sprintf("other JSON, which begins %.80q", r.got.Body)
	}
	return text + "no JSON"
}

func isPage(got upstream.Response) bool {
	return strings.HasPrefix(got.Header.Get("Content-Type"), "text/html")
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)

// maxTitle is how much of a title is shown, in bytes.
const maxTitle = 100

// title returns the title of an HTML page; "" for anything else.
func title(got upstream.Response) string {
	found := titlePattern.FindSubmatch(got.Body)
	if found == nil || !isPage(got) {
		return ""
	}
	text := strings.Join(strings.Fields(html.UnescapeString(string(found[1]))), " ")
	return strings.ToValidUTF8(text[:min(len(text), maxTitle)], "")
}

// skew returns how far the site's clock is ahead of this one.
func (r *root) skew() time.Duration {
	there, err := http.ParseTime(r.got.Header.Get("Date"))
	if err != nil {
		return 0
	}
	return there.Sub(r.options.Clock()).Round(time.Second)
}

const day = 24 * time.Hour

func (r *root) certificateEnd() string { return r.got.CertificateEnd.UTC().Format(time.DateOnly) }

// certificateLeft returns how long the certificate of the site is valid; without one, long enough.
func (r *root) certificateLeft() time.Duration {
	if r.got.CertificateEnd.IsZero() {
		return minCertificateLife
	}
	return r.got.CertificateEnd.Sub(r.options.Clock())
}

// split returns the URL of the site and WordPress's part of the root.
func (r *root) split() (site, part string) { return r.backend.Dialect.Dialect.SplitRoot(r.Upstream) }

// standardPart matches WordPress's part of a root without a setting of its own.
var standardPart = regexp.MustCompile(`^((/index\.php)?/wp-json)?$`)

// plain reports plain permalinks. A site with pretty permalinks answers at index.php too.
func (r *root) plain() bool {
	return siteurl.IsPlain(r.Upstream) && (r.linked == "" || siteurl.IsPlain(r.linked))
}

// foreign reports whether links that begin with a URL of the site are not recognized.
func (r *root) foreign(url string) bool { return url != "" && !r.backend.Rewriter.Knows(url) }

// otherTimes returns an example of a time that is another in the zone of the first root; "" if all are
// the same.
func (r *root) otherTimes() string {
	here, err := r.first.index.location()
	there, unknown := r.index.location()
	if err != nil || unknown != nil {
		return ""
	}
	for _, month := range []time.Month{time.July, time.January} {
		evening := time.Date(r.options.Clock().Year(), month, 1, 20, 0, 0, 0, there)
		const minutes = "2006-01-02 15:04"
		if a, b := evening.Format(minutes), evening.In(here).Format(minutes); a != b {
			return fmt.Sprintf("%s there is %s in %s", a, b, r.first.Name())
		}
	}
	return ""
}

// maxChanges is how many changes are printed; the JSON has all.
const maxChanges = 8

// changes returns how the site's description of its API has changed; "" for not.
func (r *root) changes() string {
	all := r.change.Changes
	text := strings.Join(all[:min(len(all), maxChanges)], "; ")
	if more := len(all) - maxChanges; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// indexPath is the path of the index of a REST root.
const indexPath = "/"

// restIndex is the index as WordPress sends it.
type restIndex struct {
	URL            string         `json:"url"`       // of WordPress; prefix of image URLs
	Home           string         `json:"home"`      // the start page; prefix of the pages of the root's language
	Namespace      string         `json:"namespace"` // of the index of a namespace; "" in that of a root
	Namespaces     []string       `json:"namespaces"`
	TimezoneString string         `json:"timezone_string"`
	GMTOffset      json.Number    `json:"gmt_offset"`
	Authentication map[string]any `json:"authentication"`
}

// restRelation matches the link to the REST root that WordPress adds to the header of each page.
var restRelation = regexp.MustCompile(`<([^<>]*)>; rel="https://api\.w\.org/"`)

// linkedRoot returns the REST root that a header links; "" if there is none.
func linkedRoot(h http.Header) string {
	for _, value := range h.Values("Link") {
		if found := restRelation.FindStringSubmatch(value); found != nil {
			return rootOf(found[1])
		}
	}
	return ""
}

// languageEnd matches the parameters that a language plugin adds to the URL of a root.
var languageEnd = regexp.MustCompile(`[?&]lang=[^&]*$`)

// rootOf returns the REST root that a page of the site links; "" if the link has another form.
func rootOf(link string) string {
	root := siteurl.Root(languageEnd.ReplaceAllString(link, ""))
	if !siteurl.IsRoot(root) {
		return ""
	}
	return root
}
