package probe

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

// maxSkew is the tolerated difference between two clocks: the default window of a list and
// "now" are those of the site.
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

// compareZones notes roots whose time zone is not that of the first root.
func compareZones(findings []Finding) {
	for i := range findings {
		if f, first := &findings[i], &findings[0]; f.Zone != "" && first.Zone != "" && f.Zone != first.Zone {
			f.Notes = append(f.Notes, fmt.Sprintf("has the time zone %s, and %s has %s: dates without a zone mean other times", f.Zone, first.Name(), first.Zone))
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
