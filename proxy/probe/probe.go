package probe

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Run probes the REST roots of all languages, backend by backend, and the way that selects the
// language of the legacy's responses.
func Run(ctx context.Context, o Options) (findings []Finding) {
	var roots []*examinedRoot
	for i := range o.Backends {
		b := &o.Backends[i]
		for language, configured := range b.Roots {
			if configured.Upstream == "" {
				continue
			}
			r := &examinedRoot{options: &o, backend: b, language: language, Finding: Finding{
				Backend: b.Name, Language: configured.Language, Upstream: configured.Upstream,
				Auth: []string{}, Problems: []string{}, Notes: []string{},
			}}
			roots = append(roots, r)
			r.first = roots[0]
			r.examine(ctx)
			r.ended = false // languages are compared all the same
		}
	}
	compareLanguages(ctx, &o, roots[:len(o.Backends[0].Roots)])
	for _, r := range roots {
		findings = append(findings, r.Finding)
	}
	return findings
}

// examine asks one question after the other, and adds the findings from the answers.
func (r *examinedRoot) examine(ctx context.Context) {
	neutral := r.backend.Dialect.Dialect == mapping.Neutral // the site need not be WordPress, which has an index
	var list upstream.Response
	var failure error
	closed := false
	if !neutral {
		response, err := r.readIndex(ctx)
		closed = err == nil && r.Redirects == "" && !r.isIndex(response)
		if closed {
			list, failure = r.readList(ctx)
			closed = failure == nil
		}
		if closed {
			r.findClosed(response)
		} else {
			r.findInIndex(response, err)
		}
	}
	if r.ended {
		return
	}
	if !closed {
		list, failure = r.readList(ctx)
	}
	r.findInList(list, failure)
	if r.ended {
		return
	}
	r.Reachable, r.Namespace, r.Plugin = true, true, true
	if !neutral {
		r.findOfSite(list)
		r.findCache(ctx, list)
	}
}

// isIndex reports whether a response is the index of a REST root, or of a namespace.
func (r *examinedRoot) isIndex(response upstream.Response) bool {
	return response.Status == http.StatusOK && (r.index.Namespace != "" || r.index.Namespaces != nil)
}

// findClosed adds the findings about an open namespace and a closed index of the root.
func (r *examinedRoot) findClosed(response upstream.Response) {
	zone := r.options.Freshness.Zone
	if zone != nil {
		r.location = zone(r.Language)
		r.Zone = r.location.String()
		return
	}
	r.find(note, true, "the index of the REST root is closed (%s), and the namespace is open: the time zone of the site is unknown, "+
		"and writes with a time that depends on it get a 400: set cache.zone", instead(response))
}

// findInIndex adds the findings from the index of a root, or from the response to the request for an index.
func (r *examinedRoot) findInIndex(response upstream.Response, err error) {
	r.find(end, err != nil, "not reachable: %v%s", err, upstream.Remedy(err))
	r.find(end, r.Redirects == siteurl.Join(r.Upstream, indexPath), "redirects to itself: the site has no REST root there; "+
		"if it shows the default language in URLs, that language has a directory too")
	fix := Setting{Key: "upstream.headers", Value: forwardedHTTPS}
	if r.find(end, r.insists, "redirects to %s, and responds if the calls say that they came by https: set upstream.headers: [%q] "+
		"if the upstream is internal, else use the spelling of the site for the upstream", r.Redirects, fix.Value) && r.isInternal() {
		r.Settings = append(r.Settings, fix)
	}
	r.find(end, r.Redirects != "", "redirects to %s: use the spelling of the site for the upstream", r.Redirects)
	r.find(end, !r.isIndex(response), "no REST root: %s%s", instead(response), r.advice(response))
	r.find(end, r.index.Namespace != "", "is the index of the namespace %s, not a REST root: set %s as the upstream",
		r.index.Namespace, strings.TrimSuffix(r.Upstream, "/"+r.index.Namespace))
	var ahead time.Duration
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		ahead = date.Sub(r.options.Clock()).Round(time.Second)
	}
	// "now" and the default window of a list are the site's.
	r.find(problem, ahead.Abs() > upstream.MaxSkew, "the site's clock is off by %s: set both clocks by NTP", ahead)
	dialect := r.otherDialect()
	if dialect != "" {
		r.find(end, true, "the root does not list %s, and lists %s: set upstream.dialect: %s", r.place(), dialect, dialect)
		r.Settings = append(r.Settings, Setting{Key: "upstream.dialect", Value: dialect})
	}
	r.find(end, !r.Namespace, "the root does not list %s: is the plugin active?", r.place())
}

// otherDialect returns the namespace of another dialect that the legacy speaks, and not the configured one; "" if
// the legacy speaks the configured dialect, or no dialect.
func (r *examinedRoot) otherDialect() string {
	if r.Namespace || r.ended || r.backend != r.first.backend {
		return ""
	}
	for _, dialect := range []*mapping.Dialect{tribe.Dialect, mapping.Neutral, tec.Dialect} {
		if slices.Contains(r.index.Namespaces, dialect.Namespace) {
			return dialect.Namespace
		}
	}
	return ""
}

// isInternal reports whether the host of the upstream is internal.
func (r *examinedRoot) isInternal() bool {
	u, err := url.Parse(r.Upstream)
	return err == nil && isInternal(u.Hostname())
}

// findInList adds the findings from a list of events.
func (r *examinedRoot) findInList(response upstream.Response, err error) {
	r.find(end, err != nil, "%v", err)
	r.find(note, response.Padding > 0, "sends %d bytes around its JSON, which are removed: PHP notices, or a byte order mark "+
		"in a file of a plugin or theme", response.Padding)
	obstacle, exists := r.options.Freshness.Obstacle(response.Header)
	r.settle(r.find(note, exists, "%s", obstacle), "cache.ignore_cookies", obstacle.Cookie)
}

// findOfSite adds the findings about a WordPress site from the index and a list.
func (r *examinedRoot) findOfSite(list upstream.Response) {
	allow := list.Header.Get("Allow")
	r.find(problem, strings.Contains(allow, http.MethodPost),
		"anonymous clients may write (Allow: %s): the credentials of upstream belong to a user of the site", allow)

	// A site with pretty permalinks answers at index.php too.
	plain := siteurl.IsPlain(r.Upstream) && (r.linked == "" || siteurl.IsPlain(r.linked))
	r.find(note, plain && r.options.Pages == "", "has plain permalinks: the URLs of its pages contain vendor names unless pages_url is set")

	foreign := func(url string) bool { return url != "" && !r.backend.Rewriter.Knows(url) }
	home := upstream.BareURL(r.index.Home)
	wordpress := upstream.BareURL(r.index.URL)
	r.settle(r.find(note, foreign(r.index.Home), "has its start page at %s: links to its pages are recognized if that is "+
		"in languages[].site_aliases", home), "languages[].site_aliases", home)
	r.settle(r.find(note, foreign(r.index.URL) && !foreign(r.index.Home), "has WordPress at %s, outside of the site: "+
		"pages_url moves its images if that is upstream.wordpress_url", wordpress), "upstream.wordpress_url", wordpress)
	example := r.otherTimes()
	r.find(note, example != "", "has another time zone than %s: dates without a zone mean other times: %s", r.first.Name(), example)
}

// findCache finds a cache at the site that answers reads, which the list or a second read of the list shows. The
// finding is a problem if the cache also answers a URL that is new to the cache.
func (r *examinedRoot) findCache(ctx context.Context, list upstream.Response) {
	_, call := r.backend.Dialect.Dialect.Client(r.backend.Dialect, mapping.Environment{}).Preview(mapping.SmallestList())
	field := r.storedField(list)
	if field == "" {
		field = r.storedField(r.repeat(ctx, call))
	}
	if field == "" {
		return
	}
	upstream.MakeNew(&call)
	site, _ := r.split()
	excluded := strings.TrimPrefix(r.Upstream, site) + "/"
	severity := note
	effect := "and after a change in wp-admin without a purge, an old one"
	if r.storedField(r.repeat(ctx, call)) != "" {
		severity = problem
		effect = "whatever the query: what calfacade reads after a write is old, and it refuses updates"
	}
	r.find(severity, true, "a cache at the site answers REST reads (%s), %s: exclude %s from it", field, effect, excluded)
}

// repeat makes a call. The header is empty if that fails.
func (r *examinedRoot) repeat(ctx context.Context, call mapping.Request) upstream.Response {
	response, err := read(ctx, r.backend.Caller, r.Upstream, request(call))
	if err != nil {
		return upstream.Response{}
	}
	return response
}

// storedField returns the header field that shows that a cache had stored a response; "" without such a field.
func (r *examinedRoot) storedField(response upstream.Response) string {
	s := upstream.StoredBy(response.Header, r.options.Clock())
	if s.Shows() {
		return s.Field
	}
	return ""
}

// otherTimes returns an example of a time that is another in the zone of the first root; "" if all are
// the same.
func (r *examinedRoot) otherTimes() string {
	firstZone := r.first.location
	zone := r.location
	if firstZone == nil || zone == nil {
		return ""
	}
	for _, month := range []time.Month{time.July, time.January} {
		evening := time.Date(r.options.Clock().Year(), month, 1, 20, 0, 0, 0, zone)
		const minutes = "2006-01-02 15:04"
		a, b := evening.Format(minutes), evening.In(firstZone).Format(minutes)
		if a != b {
			return fmt.Sprintf("%s there is %s in %s", a, b, r.first.Name())
		}
	}
	return ""
}
