package probe

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// severity is what a finding means.
type severity int

const (
	note    severity = iota // unusual but supported
	problem                 // the proxy cannot serve the language as it should
	end                     // a problem, after which nothing else is asked
)

// row is something that check may find.
type row struct {
	severity severity
	when     func(r *root) []any // the arguments of text, and each Setting that settles it; nil if it is not so
	text     string
}

// when returns the arguments of a row if a condition holds.
func when(holds bool, args ...any) []any {
	if !holds {
		return nil
	}
	return append([]any{}, args...)
}

const (
	maxSkew            = time.Minute         // between two clocks: "now" and the default window of a list are the site's
	minCertificateLife = 21 * 24 * time.Hour // certificates that renew themselves, after two thirds of 90 days, are valid for longer

	// What a site lacks if its responses are the same in all languages.
	needsCode = "Polylang's free edition applies lang to categories and tags only: to list one language, the site needs " +
		"code of its own that sets the language of REST queries (pre_get_posts)"
	needsFilter = "all roots have the same items and texts, only links differ: the site translates its pages but not this API: " +
		"with TranslatePress, a filter of the site (trp_rest_api_translation_config) must add its namespace"
)

// table has all that check may find about a site, by the question whose answer shows it.
var table = map[question][]row{
	whichIndex: {
		{end, func(r *root) []any { return when(isError[x509.UnknownAuthorityError](r.err), r.err) },
			"not reachable: %v: see upstream.ca_file"},
		{end, func(r *root) []any { return when(isError[x509.HostnameError](r.err), r.err) }, "not reachable: %v: see upstream.host"},
		{end, func(r *root) []any { return when(expired(r.err), r.err) },
			"not reachable: %v: renew the certificate of the site, or set the clock of this machine"},
		{end, func(r *root) []any { return when(r.err != nil, r.err) }, "not reachable: %v"},
		{end, func(r *root) []any { return when(r.Redirects == siteurl.Join(r.Upstream, indexPath)) },
			"redirects to itself: the site has no REST root there; if it shows the default language in URLs, that language has a " +
				"directory too"},
		{end, func(r *root) []any { return when(r.Redirects != "", r.Redirects) },
			"redirects to %s: use the spelling of the site for the upstream"},
		{note, func(r *root) []any {
			return when(r.certificateLeft() < minCertificateLife, r.certificateEnd(), r.certificateLeft()/day)
		},
			"has a certificate that ends on %s, in %d days: renew it"},
		{end, func(r *root) []any {
			return when(r.noRoot(401) && r.got.Header.Get("Www-Authenticate") != "", r.instead())
		},
			"no REST root: %s: something in front of the site requires credentials, see upstream.basic_auth"},
		// Recordings broken/en/login-required-root and forbidden-root.
		{end, func(r *root) []any { return when(r.noRoot(401, 403), r.instead(), r.place()) },
			"no REST root: %s: a security plugin, or what is in front of the site, closes the REST API; " +
				"it must allow anonymous GET requests below %s"},
		{end, func(r *root) []any {
			return when(r.noRoot() && r.linked != "" && r.linked != r.Upstream, r.instead(), r.linked)
		},
			"no REST root: %s: the site reports the REST root %s; set that as the upstream"},
		{end, func(r *root) []any { return when(r.noRoot(503), r.instead()) }, // recording broken/en/maintenance-root
			"no REST root: %s: the site is in maintenance, or overloaded; try again later"},
		{end, func(r *root) []any { return when(r.noRoot() && r.got.Status >= 500, r.instead()) }, // recording broken/en/fatal-on-load-root
			"no REST root: %s: the site is broken; its PHP error log has the reason"},
		{end, func(r *root) []any { return when(r.noRoot(404), r.instead()) },
			"no REST root: %s: the upstream may lack the directory of WordPress, or have another prefix than the site; " +
				"the Link header of the site's start page has the URL"},
		{end, func(r *root) []any { return when(r.noRoot() && isPage(r.got), r.instead()) },
			"no REST root: %s: a page for maintenance, sign-in or a bot check, or the URL of a page; " +
				"let the address of this machine through, or correct the upstream"},
		{end, func(r *root) []any { return when(r.noRoot(), r.instead()) }, "no REST root: %s"},
		{end, func(r *root) []any {
			return when(r.index.Namespace != "", r.index.Namespace, strings.TrimSuffix(r.Upstream, "/"+r.index.Namespace))
		}, "is the index of the namespace %s, not a REST root: set %s as the upstream"},
		{problem, func(r *root) []any { return when(r.skew().Abs() > maxSkew, r.skew()) },
			"the site's clock is off by %s: set both clocks by NTP"},
		{end, func(r *root) []any { return when(!r.Namespace, r.place()) }, "the root does not list %s: is the plugin active?"},
	},
	whichList: {
		{end, func(r *root) []any { return when(r.err != nil, r.err) }, "%v"},
		{note, func(r *root) []any { return when(r.got.Padding > 0, r.got.Padding) },
			"sends %d bytes around its JSON, which are removed: PHP notices, or a byte order mark in a file of a plugin or theme"},
		{note, func(r *root) []any { return when(!r.backend.Dialect.Dialect.Counts(r.got.Header)) },
			"sends lists without header fields for their counts, or something in between removes these: the counts in the body are used"},
		{note, func(r *root) []any {
			why, cookie := r.options.Unshared(r.got.Header)
			return when(why != "", why, Setting{"cache.ignore_cookies", cookie})
		}, "%s"},
	},
	whichSite: {
		{problem, func(r *root) []any {
			allow := r.got.Header.Get("Allow")
			return when(strings.Contains(allow, http.MethodPost), allow)
		}, "anonymous clients may write (Allow: %s): the credentials of upstream belong to a user of the site"},
		{note, func(r *root) []any { return when(r.plain() && r.options.Pages == "") },
			"has plain permalinks: the URLs of its pages contain vendor names unless pages_url is set"},
		{note, func(r *root) []any { return when(r.plain() && r.options.Pages != "", r.options.Pages) },
			"has plain permalinks: the URLs of its pages have neutral names, which %s must resolve"},
		{note, func(r *root) []any {
			site, part := r.split()
			own := !siteurl.IsPlain(r.Upstream) && !standardPart.MatchString(part)
			return when(own && r.language == 0, strings.TrimPrefix(part, "/"), site)
		}, "has the REST prefix %s: its pages are assumed to be below %s"},
		{note, func(r *root) []any {
			home := upstream.BareURL(r.index.Home)
			return when(r.foreign(r.index.Home), home, Setting{"languages[].site_aliases", home})
		},
			"has its start page at %s: links to its pages are recognized if that is in languages[].site_aliases"},
		{note, func(r *root) []any {
			wordpress := upstream.BareURL(r.index.URL)
			return when(r.foreign(r.index.URL) && !r.foreign(r.index.Home), wordpress, Setting{"upstream.wordpress_url", wordpress})
		}, "has WordPress at %s, outside of the site: pages_url moves its images if that is upstream.wordpress_url"},
		{note, func(r *root) []any {
			example := r.otherTimes()
			return when(example != "", r.first.Name(), example)
		}, "has another time zone than %s: dates without a zone mean other times: %s"},
	},
	whichDocument: {
		{note, func(r *root) []any {
			return when(r.err != nil, r.place(), r.backend.Dialect.Dialect.Description.Path, r.err)
		}, "the document of %s at %s cannot be read: %v"},
		{problem, func(r *root) []any {
			return when(r.change.Breaks, r.place(), r.change.Version, r.changes())
		}, "the document of %s lacks what it had in version %s of the plugin: %s"},
		{note, func(r *root) []any {
			return when(!r.change.Breaks && r.changes() != "", r.place(), r.change.Version, r.changes())
		}, "the document of %s has more than in version %s of the plugin: %s"},
	},
	whichLanguage: {
		{problem, func(r *root) []any { return when(r.unknown != "", r.unknown, strings.Join(r.site.codes(), ", ")) },
			"the site has no language %q, only %s: set languages[].tell"},
		{note, func(r *root) []any { return when(r.site.unrecorded) },
			"the recording has no lists of all languages to compare: what selects the language is unknown"},
		{note, func(r *root) []any { return when(r.site.empty) },
			"the lists have no items to compare: what selects the language is unknown"},
		{problem, func(r *root) []any { return when(r.otherwise != "", r.site.param, r.code(), r.otherwise) },
			"with %s=%s the root responds differently (%s): use select: path"},
		{note, func(r *root) []any { return when(r.fallsBack, r.first.Language) },
			"lists fall back to %s: items without a translation show the original"},
		{problem, func(r *root) []any { return when(r.advice != "", r.advice) },
			"the configuration does not select this language, but %s does"},
		{note, func(r *root) []any { return when(r.site.mixed != "", r.site.mixed) },
			"every list has items of all languages (%s), whichever is requested"},
		{note, func(r *root) []any { return when(r.site.mixed != "" && r.site.plugin != nil) }, needsCode},
		{note, func(r *root) []any { return when(r.site.onlyLinks) }, needsFilter},
		{problem, func(r *root) []any { return when(r.listError != nil && r.OK(), r.listError) }, "list: %v"},
		{problem, func(r *root) []any { return when(r.same != "", r.same) },
			"same response as %s, and nothing that was tried selects the language"},
	},
}

// add adds the findings that an answer shows to the finding. ended reports that nothing else is to be asked.
func (r *root) add(asked question) (ended bool) {
	for _, row := range table[asked] {
		args := row.when(r)
		if args == nil {
			continue
		}
		args = slices.DeleteFunc(args, func(arg any) bool {
			setting, is := arg.(Setting)
			if is && setting.Value != "" {
				r.Settings = append(r.Settings, setting)
			}
			return is
		})
		to := &r.Problems
		if row.severity == note {
			to = &r.Notes
		}
		*to = append(*to, fmt.Sprintf(row.text, args...))
		if row.severity == end {
			return true
		}
	}
	return false
}

func isError[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func expired(err error) bool {
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	return ok && invalid.Reason == x509.Expired
}
