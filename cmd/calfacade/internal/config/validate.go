package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

var (
	rootPattern      = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)
	dotSegment       = regexp.MustCompile(`/\.\.?(/|$)`)
	namespacePattern = regexp.MustCompile(`^[a-z0-9-]+(/[a-z0-9-]+)*$`)
	tellPattern      = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)
	sitePattern      = regexp.MustCompile(`^[a-z0-9-]*$`)
	paramPattern     = regexp.MustCompile(`^([a-z_][a-z0-9_]*)?$`)
)

// Validate returns all problems, joined. Each begins with the path of its key, such as
// "languages[1].root: ". It quotes no URL, since that may hold a password.
func (c Config) Validate() error {
	var f faults
	f.address("listen", c.Listen)
	f.adminListen(c.AdminListen, c.Admin.Token.Reveal() != "")
	f.url("public_url", c.PublicURL)
	f.languages(c.Languages, c.Upstream.LanguageParam)
	f.upstream(c.Upstream)
	f.oneHost(c)
	if c.Rewrite.Site != "" {
		f.url("rewrite.site", c.Rewrite.Site)
	}
	f.backends(c)
	f.cache(c.Cache)
	f.tokens(c)
	f.limits(c.Limits)
	f.security(c)
	f.oneOf("unknown_params", c.UnknownParams, "drop", "reject")
	f.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	f.oneOf("log.format", c.Log.Format, "json", "console")
	f.oneOf("log.requests", c.Log.Requests, "all", "errors", "none")
	f.notNegative("watch_interval", c.WatchInterval)
	f.notNegative("drain_delay", c.DrainDelay)
	f.notNegative("shutdown_timeout", c.ShutdownTimeout)
	return errors.Join(f...)
}

type faults []error

// check adds a problem with key unless ok.
func (f *faults) check(ok bool, key, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
	}
}

func (f *faults) oneOf(key, value string, allowed ...string) {
	f.check(slices.Contains(allowed, value), key, "%q is not one of %s", value, strings.Join(allowed, ", "))
}

func positive[T ~int | ~int64](f *faults, key string, value T) {
	f.check(value > 0, key, "must be more than 0, but is %v", value)
}

func (f *faults) languages(list []Language, param string) {
	f.check(len(list) > 0, "languages", "at least one is required")
	for i, l := range list {
		key := fmt.Sprintf("languages[%d]", i)
		f.oneOf(key+".code", l.Code, i18n.Codes...)
		f.check(rootPattern.MatchString(l.Root) && !dotSegment.MatchString(l.Root), key+".root",
			"%q is neither empty nor a path such as /es/wp-json: segments of letters, digits, - . _ ~, no slash at its end", l.Root)
		f.restRoot(key+".upstream", l.Upstream)
		f.oneOf(key+".select", string(l.Select), string(i18n.ByPath), string(i18n.ByParameter), string(i18n.ByBoth))
		f.check(l.Select != i18n.ByParameter || param != "", key+".select", "parameter requires upstream.language_param, which is empty")
		for j, alias := range l.SiteAliases {
			f.url(fmt.Sprintf("%s.site_aliases[%d]", key, j), alias)
		}
		f.check(tellPattern.MatchString(l.Tell), key+".tell", "%q is neither empty nor made of letters, digits, - and _", l.Tell)
		f.check(sitePattern.MatchString(l.Site), key+".site", "%q is neither empty nor made of a-z, 0-9 and -", l.Site)
		f.repeats(key, l, list[:i])
	}
}

// repeats checks a language against those before it.
func (f *faults) repeats(key string, l Language, before []Language) {
	for i, other := range before {
		f.check(l.Code != other.Code, key+".code", "%q is also the code of languages[%d]", l.Code, i)
		byParameter := l.Select == i18n.ByParameter && other.Select == i18n.ByParameter
		f.check(l.Root != other.Root || byParameter, key+".root",
			"%q is also the root of languages[%d], which is possible only if both have select: parameter", l.Root, i)
		f.check(cmp.Or(l.Tell, l.Code) != cmp.Or(other.Tell, other.Code) || l.Code == other.Code, key+".tell",
			"%q is also the name of languages[%d] at the site", cmp.Or(l.Tell, l.Code), i)
		f.check(l.Upstream != other.Upstream || l.Site == other.Site, key+".site",
			"%q is not that of languages[%d], which has the same upstream", l.Site, i)
	}
}

// address requires a numeric port: names of services depend on the machine.
func (f *faults) address(key, addr string) {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	f.check(err == nil, key, "%q is not an address such as 127.0.0.1:8080", addr)
}

func (f *faults) adminListen(addr string, token bool) {
	if addr == "" {
		return
	}
	f.address("admin_listen", addr)
	host, _, err := net.SplitHostPort(addr)
	f.check(err != nil || token || isLoopback(host), "admin_listen",
		"%q is not a loopback address, which requires an admin.token", addr)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

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
		reason += ", but for ?rest_route=/ at the end"
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
	}
	return ""
}
