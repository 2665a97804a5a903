package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"

	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// wordPressError is an error as WordPress sends it.
type wordPressError struct {
	Code string `json:"code"`
}

// describeNoRoot returns what came in place of a REST root.
func describeNoRoot(got upstream.Response) string {
	title, isPage := pageTitle(got)
	var e wordPressError
	_ = json.Unmarshal(got.Body, &e) // what is no error has no code
	codings := got.Undecoded()
	switch {
	case codings != "":
		return fmt.Sprintf("no REST root: status %d, the content coding %.40q, which is not decoded", got.Status, codings)
	case isPage && title != "":
		return fmt.Sprintf("no REST root: status %d, an HTML page titled %q", got.Status, title)
	case isPage:
		return fmt.Sprintf("no REST root: status %d, an HTML page", got.Status)
	case e.Code != "":
		return fmt.Sprintf("no REST root: status %d, code %q", got.Status, e.Code)
	case json.Valid(got.Body):
		return fmt.Sprintf("no REST root: status %d, other JSON, which begins %.80q", got.Status, got.Body)
	}
	return fmt.Sprintf("no REST root: status %d, no JSON", got.Status)
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)

// maxTitle is how much of a title is shown, in bytes.
const maxTitle = 100

// pageTitle returns the title of an HTML page; isPage is false for anything else.
func pageTitle(got upstream.Response) (title string, isPage bool) {
	isPage = strings.HasPrefix(got.Header.Get("Content-Type"), "text/html")
	if found := titlePattern.FindSubmatch(got.Body); isPage && found != nil {
		title = strings.Join(strings.Fields(html.UnescapeString(string(found[1]))), " ")
		title = strings.ToValidUTF8(title[:min(len(title), maxTitle)], "")
	}
	return title, isPage
}

// noRootHint returns a likely reason why there is no REST root, and what to do.
func (o *Options) noRootHint(ctx context.Context, b *Backend, f *Finding, got upstream.Response) string {
	linked := linkedRoot(got.Header)
	_, isPage := pageTitle(got)
	switch {
	case got.Status == http.StatusUnauthorized && got.Header.Get("Www-Authenticate") != "":
		return ": something in front of the site requires credentials, see upstream.username"
	case got.Status == http.StatusUnauthorized, got.Status == http.StatusForbidden:
		// Recordings broken/en/login-required-root and forbidden-root.
		return fmt.Sprintf(": a security plugin, or what is in front of the site, closes the REST API; it must allow anonymous GET requests below %s", b.Dialect.Place())
	case linked != "" && linked != f.Upstream:
		return fmt.Sprintf(": the site reports the REST root %s; set that as the upstream", linked)
	case got.Status == http.StatusServiceUnavailable: // recording broken/en/maintenance-root
		return ": the site is in maintenance, or overloaded; try again later"
	case got.Status >= http.StatusInternalServerError: // recording broken/en/fatal-on-load-root
		return ": the site is broken; its PHP error log has the reason"
	case got.Status == http.StatusNotFound:
		if plain := o.plainRoot(ctx, b, f); plain != "" {
			return fmt.Sprintf(": the site has its REST root at %s, as with plain permalinks; set that as the upstream", plain)
		}
		return ": the upstream may lack the directory of WordPress, or have another prefix than the site; the Link header of the site's start page has the URL"
	case isPage:
		return ": a page for maintenance, sign-in or a bot check, or the URL of a page; let the address of this machine through, or correct the upstream"
	}
	return ""
}

// plainRoot returns the REST root of the legacy with plain permalinks; "" if it has none.
// Below /wp-json the web server of such a site may answer 404 by itself. The roots of other
// languages are not tried: any directory may have the root of the default language.
func (o *Options) plainRoot(ctx context.Context, b *Backend, f *Finding) string {
	site, cut := strings.CutSuffix(f.Upstream, siteurl.Prefix)
	if !cut || b.Name != upstream.LegacyName || f.Language != o.Site[0].Code {
		return ""
	}
	root := site + siteurl.PlainPermalinks
	legacy := o.LegacyAt(map[string]string{f.Language: root})
	got, _, err := legacy.Client.Do(ctx, root, indexRequest)
	var index restIndex
	if err != nil || got.Status != http.StatusOK || json.Unmarshal(got.Body, &index) != nil || len(index.Namespaces) == 0 {
		return ""
	}
	return root
}
