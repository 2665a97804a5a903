package probe

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// maxSkew is the tolerated difference between two clocks: the default window of a list and
// "now" are the site's.
const maxSkew = time.Minute

// Run probes the REST roots of all languages, backend by backend, and what selects the
// language of the legacy's responses.
func Run(ctx context.Context, o Options) []Finding {
	var findings []Finding
	var indexes []restIndex
	for i := range o.Backends {
		b := &o.Backends[i]
		for language, root := range b.Roots {
			if root.Upstream != "" {
				found, index := o.probe(ctx, b, language)
				findings, indexes = append(findings, found), append(indexes, index)
			}
		}
	}
	compareZones(findings)
	o.compareLanguages(ctx, findings[:len(o.Backends[0].Roots)], indexes)
	return findings
}

// compareZones notes roots whose time zone is not the first root's.
func compareZones(findings []Finding) {
	for i := range findings {
		if f, first := &findings[i], &findings[0]; f.Zone != "" && first.Zone != "" && f.Zone != first.Zone {
			f.Notes = append(f.Notes, fmt.Sprintf("has the time zone %s, and %s has %s: dates without a zone mean other times",
				f.Zone, first.Name(), first.Zone))
		}
	}
}

func (o *Options) probe(ctx context.Context, b *Backend, language int) (found Finding, index restIndex) {
	root := b.Roots[language]
	found = Finding{
		Backend: b.Name, Language: root.Language, Upstream: root.Upstream,
		Auth: []string{}, Problems: []string{}, Tried: []TriedList{}, Notes: []string{},
	}
	if b.Dialect.Dialect == mapping.Neutral { // it need not be WordPress, which has an index
		list, err := b.list(ctx, language)
		if err != nil {
			found.problem("%v", err)
			return found, index
		}
		found.Notes = append(found.Notes, o.notes(b, list)...)
		found.Reachable, found.Namespace, found.Plugin = true, true, true
		return found, index
	}
	index, ok := o.readIndex(ctx, b, &found)
	if !ok {
		return found, index
	}
	if skew := o.skew(index.header); skew.Abs() > maxSkew {
		found.problem("the site's clock is off by %s: set both clocks by NTP", skew)
	}
	found.Namespace = slices.Contains(index.Namespaces, b.Dialect.Place())
	if !found.Namespace {
		found.problem("the root does not list %s: is the plugin active?", b.Dialect.Place())
		return found, index
	}
	list, err := b.list(ctx, language)
	if err != nil {
		found.problem("%v", err)
		return found, index
	}
	found.Plugin = true
	if allow := list.Header.Get("Allow"); strings.Contains(allow, http.MethodPost) {
		found.problem("anonymous clients may write (Allow: %s): the credentials of upstream belong to a user of the site", allow)
	}
	found.Notes = append(found.Notes, o.notes(b, list)...)
	found.Notes = append(found.Notes, o.addressNotes(b, root.Upstream, index)...)
	if description := b.Dialect.Dialect.Description; description != nil {
		b.describe(ctx, description, &found)
	}
	return found, index
}

// readIndex reads the index of the root; ok is false if there is none.
func (o *Options) readIndex(ctx context.Context, b *Backend, f *Finding) (index restIndex, ok bool) {
	got, _, err := b.Client.Do(ctx, f.Upstream, indexRequest)
	if err != nil {
		f.problem("not reachable: %v%s", err, unreachableHint(err))
		return index, false
	}
	f.Reachable = true
	if got.Status >= 300 && got.Status < 400 {
		f.redirected(got.Header)
		return index, false
	}
	f.Notes = append(f.Notes, o.certificateNotes(got.CertificateEnd)...)
	err = json.Unmarshal(got.Body, &index)
	if isIndex := index.Namespace != "" || index.Namespaces != nil; err != nil || got.Status != http.StatusOK || !isIndex {
		f.problem("%s%s", describeNoRoot(got), o.noRootHint(ctx, b, f, got))
		return index, false
	}
	if index.Namespace != "" {
		f.problem("is the index of the namespace %s, not a REST root: set %s as the upstream",
			index.Namespace, strings.TrimSuffix(f.Upstream, "/"+index.Namespace))
		return index, false
	}
	index.header = got.Header
	f.Zone = index.zone()
	for name := range index.Authentication {
		f.Auth = append(f.Auth, name)
	}
	slices.Sort(f.Auth)
	return index, true
}

func (f *Finding) redirected(h http.Header) {
	f.Redirects = upstream.RedirectTarget(h)
	if f.Redirects == siteurl.Join(f.Upstream, indexRequest.Target) {
		f.problem("redirects to itself: the site has no REST root there; " +
			"if it shows the default language in URLs, that language has a directory too")
		return
	}
	f.problem("redirects to %s: use the spelling of the site for the upstream", f.Redirects)
}

// list reads a list of one item and returns the response of the site.
func (b *Backend) list(ctx context.Context, language int) (upstream.Response, error) {
	call := mapping.SmallestList()
	got, _, err := b.Client.Do(ctx, b.Roots[language].Upstream, b.request(call, ""))
	if err == nil && got.Status != http.StatusOK {
		err = fmt.Errorf("status %d", got.Status)
	}
	if err == nil {
		err = b.check(ctx, call, language, got)
	}
	if err != nil {
		return upstream.Response{}, fmt.Errorf("%s: %w", call.Endpoint.Name(), err)
	}
	return got, nil
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

// skew returns how far the site's clock is ahead of this one.
func (o *Options) skew(h http.Header) time.Duration {
	there, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return there.Sub(o.Clock()).Round(time.Second)
}

func (i restIndex) zone() string {
	if i.TimezoneString != "" {
		return i.TimezoneString
	}
	hours, err := strconv.ParseFloat(i.GMTOffset.String(), 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("UTC%+g", hours)
}

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

// Finding describes the REST root of one language of a backend.
type Finding struct {
	Backend   string   `json:"backend"` // [upstream.LegacyName], or a configured one
	Language  string   `json:"language"`
	Upstream  string   `json:"upstream"`
	Reachable bool     `json:"reachable"`
	Redirects string   `json:"redirects"` // target of a redirect; "" for none
	Namespace bool     `json:"namespace"` // the root lists the namespace
	Plugin    bool     `json:"plugin"`    // the namespace responds with a list
	Zone      string   `json:"zone"`      // time zone of the site
	Auth      []string `json:"auth"`      // methods of authentication that the root lists
	Problems  []string `json:"problems"`
	Notes     []string `json:"notes"` // unusual but supported

	// Document is the site's description of its API; null if the dialect knows of none.
	Document *Document `json:"document"`

	// What selects the language; only of the legacy, and with several languages.
	Tried []TriedList `json:"asked"` // one list for each way to select a language
	Works *Selection  `json:"works"` // null if nothing that was tried works
}

// Document is a description of an API.
type Document struct {
	Hash    string   `json:"hash"`    // SHA-256
	Version string   `json:"version"` // of the API that this program was made for
	Known   bool     `json:"known"`   // it is the description of that version
	Changes []string `json:"changes"` // since that version, in what this program depends on, and what is new
}

func (f *Finding) problem(format string, args ...any) {
	f.Problems = append(f.Problems, fmt.Sprintf(format, args...))
}

// OK reports whether the proxy can serve this language.
func (f Finding) OK() bool { return len(f.Problems) == 0 }

// Name returns the name of the root in metrics and logs.
func (f Finding) Name() string { return upstream.RootName(f.Backend, f.Language) }

// Selection is a configuration that selects a language of the site.
type Selection struct {
	Root          string      `json:"root"` // of the proxy
	Upstream      string      `json:"upstream"`
	Select        i18n.Select `json:"select"`
	LanguageParam string      `json:"language_param"` // "" for none
}

// TriedList is a list that was requested to see what selects the language.
type TriedList struct {
	By        i18n.Select    `json:"by"`
	Upstream  string         `json:"upstream"`
	Param     string         `json:"param"` // "" for none
	Error     string         `json:"error"` // "" for none
	Total     int            `json:"total"`
	Languages map[string]int `json:"languages"` // number of items on the first page by the language of their URLs
	SameAs    []string       `json:"same_as"`   // languages whose list, requested in the same way, has the same items and texts
}

func note(findings []Finding, format string, args ...any) {
	for i := range findings {
		findings[i].Notes = append(findings[i].Notes, fmt.Sprintf(format, args...))
	}
}

// notes returns notes about the response to an anonymous request for a list.
func (o *Options) notes(b *Backend, got upstream.Response) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if got.Padding > 0 {
		note("sends %d bytes around its JSON, which are removed: PHP notices, or a byte order mark in a file of a plugin or theme",
			got.Padding)
	}
	if !b.Dialect.Counts(got.Header) {
		note("sends lists without header fields for their counts, or something in between removes these: the counts in the body are used")
	}
	if reason := o.Unshared(got.Header); reason != "" {
		note("%s", reason)
	}
	return all
}

// minCertificateLife is how long the certificate of a site should be valid at least. Those
// that renew themselves, after two thirds of 90 days, are valid for longer.
const minCertificateLife = 21 * 24 * time.Hour

// certificateNotes reports a certificate that ends soon.
func (o *Options) certificateNotes(end time.Time) []string {
	left := end.Sub(o.Clock())
	if end.IsZero() || left >= minCertificateLife {
		return nil
	}
	return []string{fmt.Sprintf("has a certificate that ends on %s, in %d days: renew it", end.UTC().Format(time.DateOnly),
		int(left/(24*time.Hour)))}
}

// unreachableHint returns the configuration key that may help when a call fails.
func unreachableHint(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return ": see upstream.ca_file"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return ": see upstream.host"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return ": renew the certificate of the site, or set the clock of this machine"
	}
	return ""
}
