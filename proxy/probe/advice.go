package probe

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// advice returns the remedy for a response that is no index; "" for an unknown remedy.
func (r *examinedRoot) advice(response upstream.Response) string {
	status := response.Status
	switch {
	case status == 401 && slices.Contains(readAsPassword, mapping.CodeOf(response.Body)):
		return ": WordPress reads the credentials of its web server, or of upstream.headers, as an application password: that server " +
			"must not pass Authorization on to PHP, but the field of upstream.authorization in its place; " +
			"see HTTP Basic in front of WordPress in docs/migration.md"
	case status == 401 && response.Header.Get("Www-Authenticate") != "":
		return ": something in front of the site requires credentials, see upstream.basic_auth"
	case status == 401, status == 403: // recordings broken/en/login-required-root and forbidden-root
		return ": a security plugin, or what is in front of the site, closes the REST API; " +
			"it must allow anonymous GET requests below " + r.place()
	case r.linked != "" && r.linked != r.Upstream:
		return ": the site reports the REST root " + r.linked + "; set that as the upstream"
	case status == 503: // recording broken/en/maintenance-root
		return ": the site is in maintenance, or overloaded; try again later"
	case status >= 500: // recording broken/en/fatal-on-load-root
		return ": the site is broken; its PHP error log has the reason"
	case status == 404:
		return ": the upstream may lack the directory of WordPress, or have another prefix than the site; " +
			"the Link header of the site's start page has the URL"
	case isPage(response):
		return ": a page for maintenance, sign-in or a bot check, or the URL of a page; " +
			"let the address of this machine through, or correct the upstream"
	}
	return ""
}

// readAsPassword are the codes with which WordPress refuses credentials that it reads as an application password, on
// public reads too (recordings events/en/list-basic-of-the-web-server-shop and -admin).
var readAsPassword = []string{"application_passwords_disabled", "incorrect_password", "invalid_email", "invalid_username"}

// instead describes a response that is no index.
func instead(response upstream.Response) string {
	text := fmt.Sprintf("status %d, ", response.Status)
	codings, title, code := response.Undecoded(), title(response), mapping.CodeOf(response.Body)
	switch {
	case codings != "":
		return text + fmt.Sprintf("the content coding %.40q, which is not decoded", codings)
	case title != "":
		return text + fmt.Sprintf("an HTML page titled %q", title)
	case isPage(response):
		return text + "an HTML page"
	case code != "":
		return text + fmt.Sprintf("code %q", code)
	case json.Valid(response.Body):
		return text + fmt.Sprintf("other JSON, which begins %.80q", response.Body)
	}
	return text + "no JSON"
}

func isPage(response upstream.Response) bool {
	return strings.HasPrefix(response.Header.Get("Content-Type"), "text/html")
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)

// maxTitle is how much of a title is shown, in bytes.
const maxTitle = 100

// title returns the title of an HTML page; "" for anything else.
func title(response upstream.Response) string {
	match := titlePattern.FindSubmatch(response.Body)
	if match == nil || !isPage(response) {
		return ""
	}
	text := strings.Join(strings.Fields(html.UnescapeString(string(match[1]))), " ")
	return strings.ToValidUTF8(text[:min(len(text), maxTitle)], "")
}
