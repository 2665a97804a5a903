package config

import (
	"net/netip"
	"net/url"
	"path"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// url checks that raw is an absolute URL to which a path can be appended. Its errors
// quote neither raw nor the error of url.Parse, which quotes raw.
func (f *faults) url(key, raw string) {
	reason := URLProblem(raw)
	f.check(reason == "", key, "%s", reason)
}

// restRoot is like url for a REST root, which may end with the parameter of plain
// permalinks.
func (f *faults) restRoot(key, raw string) {
	if siteurl.IsPlain(raw) {
		raw, _ = mapping.Tribe.SplitRoot(raw)
	}
	reason := URLProblem(raw)
	if reason == queryProblem {
		reason += ", except ?rest_route=/ at the end"
	}
	f.check(reason == "", key, "%s", reason)
}

const queryProblem = "must have no query and no fragment"

// URLProblem returns why raw is not an absolute http or https URL to which a path can
// be appended; "" if it is one.
func URLProblem(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return "is required"
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "is not an absolute http or https URL"
	case u.User != nil:
		return "must not contain a user or password, because URLs are logged"
	case strings.ContainsAny(raw, "?#"):
		return queryProblem
	case !strings.HasSuffix(raw, u.EscapedPath()):
		return "must have its path percent-encoded"
	case u.Path != "" && path.Clean(u.Path) != u.Path || u.Path == "/":
		return "must have no empty or dot segments in its path, and no slash at its end"
	case strings.ContainsFunc(siteurl.ASCIIHost(raw), func(r rune) bool { return r >= 0x7f }):
		return "has a host that is no domain name"
	}
	return ""
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (f *faults) encrypted(key, url string, plain bool) {
	f.check(plain || !inTheClear(url), key,
		"is http: passwords of clients would pass the network unencrypted; use https, or accept it with upstream.allow_plain_http")
}

// inTheClear reports whether calls to a URL leave the machine unencrypted.
func inTheClear(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Scheme == "http" && u.Hostname() != "" && !isLoopback(u.Hostname())
}
