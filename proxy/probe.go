package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Finding is what one language's REST root of a backend turned out to be.
type Finding struct {
	Backend   string   `json:"backend"` // [upstream.LegacyName], or a configured one
	Language  string   `json:"language"`
	Upstream  string   `json:"upstream"`
	Reachable bool     `json:"reachable"`
	Redirects string   `json:"redirects"` // where to, "" for nowhere
	Namespace bool     `json:"namespace"` // the root lists it
	Plugin    bool     `json:"plugin"`    // the namespace answers a list
	Zone      string   `json:"zone"`      // the site's clock
	Auth      []string `json:"auth"`      // the ways to sign in that the root lists
	Problems  []string `json:"problems"`
	Notes     []string `json:"notes"` // what is no problem, and good to know

	// What chooses the language; only of the legacy, and where there are several.
	Asked []AskedList `json:"asked"` // one list by each way
	Works *Selection  `json:"works"` // null: nothing that was tried
}

func (f *Finding) problem(format string, args ...any) {
	f.Problems = append(f.Problems, fmt.Sprintf(format, args...))
}

// OK reports whether the facade can serve this language.
func (f Finding) OK() bool { return len(f.Problems) == 0 }

// maxSkew is how far the legacy's clock may be off before it is a problem: the
// default window of a list and "now" are the legacy's.
const maxSkew = time.Minute

// Name is what the root is called in metrics and logs.
func (f Finding) Name() string { return upstream.RootName(f.Backend, f.Language) }

// Probe asks the REST root of each language what stands there, backend by backend,
// the legacy first, and what chooses the language of the legacy's answers.
func (f *Facade) Probe(ctx context.Context) []Finding {
	var findings []Finding
	var indexes []restIndex
	for _, b := range f.backends {
		for i, root := range b.roots {
			if root.Upstream != "" {
				found, index := f.probe(ctx, b, i)
				findings, indexes = append(findings, found), append(indexes, index)
			}
		}
	}
	f.proveLanguages(ctx, findings[:len(f.legacy.roots)], indexes)
	return findings
}

// siteIndex asks a REST root what it says about itself.
var siteIndex = upstream.Request{Method: http.MethodGet, Target: "/", Class: upstream.Read}

// restIndex is the answer of WordPress.
type restIndex struct {
	URL            string         `json:"url"`  // of WordPress, below which its images are
	Home           string         `json:"home"` // the start page, below which pages of the root's language are
	Namespaces     []string       `json:"namespaces"`
	TimezoneString string         `json:"timezone_string"`
	GMTOffset      json.Number    `json:"gmt_offset"`
	Authentication map[string]any `json:"authentication"`
}

func (f *Facade) probe(ctx context.Context, b *backend, language int) (found Finding, index restIndex) {
	root := b.roots[language]
	found = Finding{
		Backend: b.name, Language: root.Language, Upstream: root.Upstream,
		Auth: []string{}, Problems: []string{}, Asked: []AskedList{}, Notes: []string{},
	}
	problem := func(format string, args ...any) (Finding, restIndex) {
		found.problem(format, args...)
		return found, index
	}
	if b.speech.Dialect == mapping.Neutral { // need not be WordPress, which has an index
		list, err := b.probeList(ctx, language)
		if err != nil {
			problem("%v", err)
		}
		if err == nil {
			found.Notes = append(found.Notes, f.notes(b, list)...)
		}
		found.Reachable, found.Namespace, found.Plugin = err == nil, err == nil, err == nil
		return found, index
	}
	got, _, err := b.upstream.Do(ctx, root.Upstream, siteIndex)
	if err != nil {
		return problem("not reachable: %v%s", err, unreachableHint(err))
	}
	found.Reachable = true
	if got.Status >= 300 && got.Status < 400 {
		found.Redirects = upstream.RedirectTarget(got.Header)
		if found.Redirects == siteurl.Join(root.Upstream, siteIndex.Target) {
			return problem("redirects to itself without end: the site has no REST root there; " +
				"where it shows the default language in URLs, that has a directory too")
		}
		return problem("redirects to %s: spell the upstream as the site spells itself", found.Redirects)
	}
	if err := json.Unmarshal(got.Body, &index); err != nil || got.Status != http.StatusOK {
		return problem("no REST root: status %d, JSON: %t%s", got.Status, err == nil, noRootHint(got, root.Upstream))
	}
	found.Zone = index.zone()
	for name := range index.Authentication {
		found.Auth = append(found.Auth, name)
	}
	slices.Sort(found.Auth)
	if skew := f.skew(got.Header); skew.Abs() > maxSkew {
		problem("its clock is off by %s", skew)
	}
	found.Namespace = slices.Contains(index.Namespaces, b.speech.Place())
	if !found.Namespace {
		return problem("the root does not list %s: is the plugin active?", b.speech.Place())
	}
	list, err := b.probeList(ctx, language)
	if err != nil {
		return problem("%v", err)
	}
	found.Plugin = true
	if allow := list.Header.Get("Allow"); strings.Contains(allow, http.MethodPost) {
		problem("lets everybody write (Allow: %s): the credentials of upstream are of a user of the site", allow)
	}
	found.Notes = append(found.Notes, f.notes(b, list)...)
	found.Notes = append(found.Notes, f.addressNotes(b, root.Upstream, index)...)
	return found, index
}

// probeList asks for a list of one item, and returns what the site answered.
func (b *backend) probeList(ctx context.Context, root int) (upstream.Response, error) {
	call := mapping.SmallestList()
	got, _, err := b.upstream.Do(ctx, b.roots[root].Upstream, b.smallest())
	if err == nil && got.Status != http.StatusOK {
		err = fmt.Errorf("status %d", got.Status)
	}
	if err == nil {
		err = b.readList(ctx, call, root, got)
	}
	if err != nil {
		return upstream.Response{}, fmt.Errorf("%s: %w", call.Endpoint.Name(), err)
	}
	return got, nil
}

// smallest asks for that list.
func (b *backend) smallest() upstream.Request {
	return outgoingOf(b.speech.Translate(mapping.SmallestList(), ""), identity{}, upstream.Read)
}

// readList reports whether clients could be given an answer to call.
func (b *backend) readList(ctx context.Context, call *mapping.Call, root int, got upstream.Response) error {
	got, err := b.convert(ctx, question{call: call, choice: i18n.Choice{Index: root}, rank: upstream.Read}, got, new(upstreamRecord))
	if err != nil {
		return err
	}
	_, err = b.rewriter.Rewrite(call, root, got.Status, got.Body)
	return err
}

// skew is how far the legacy's clock is ahead of this one's.
func (f *Facade) skew(h http.Header) time.Duration {
	there, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return there.Sub(f.options.Clock()).Round(time.Second)
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
