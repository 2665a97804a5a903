package config

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"

	"github.com/calfacade/calfacade/i18n"
)

var (
	rootPattern = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)
	dotSegment  = regexp.MustCompile(`/\.\.?(/|$)`)
	tellPattern = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)
	sitePattern = regexp.MustCompile(`^[a-z0-9-]*$`)
)

func (f *faults) languages(list []i18n.Language, param string) {
	f.check(len(list) > 0, "languages", "at least one is required")
	for i, l := range list {
		key := fmt.Sprintf("languages[%d]", i)
		f.oneOf(key+".code", l.Code, i18n.Codes...)
		f.check(rootPattern.MatchString(l.Root) && !dotSegment.MatchString(l.Root), key+".root",
			"%q is neither empty nor a path such as /es/wp-json: segments of letters, digits, - . _ ~, no slash at its end", l.Root)
		f.restRoot(key+".upstream", l.Upstream)
		f.oneOf(key+".select", string(l.Select), string(i18n.ByPath), string(i18n.ByParameter), string(i18n.ByBoth))
		f.check(l.Select != i18n.ByParameter || param != "", key+".select", "parameter requires upstream.language_param, which is empty")
		for j, alias := range l.Aliases {
			f.url(fmt.Sprintf("%s.site_aliases[%d]", key, j), alias)
		}
		f.check(tellPattern.MatchString(l.Tell), key+".tell", "%q is neither empty nor made of letters, digits, - and _", l.Tell)
		f.check(sitePattern.MatchString(l.Site), key+".site", "%q is neither empty nor made of a-z, 0-9 and -", l.Site)
		f.repeats(key, l, list[:i])
	}
}

// repeats checks a language against those before it.
func (f *faults) repeats(key string, l i18n.Language, before []i18n.Language) {
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

// oneHost checks that all languages have one host if upstream.host is set.
func (f *faults) oneHost(host string, list []i18n.Language) {
	hosts := map[string]bool{}
	for _, l := range list {
		if u, err := url.Parse(l.Upstream); err == nil {
			hosts[u.Host] = true
		}
	}
	f.check(host == "" || len(hosts) <= 1, "upstream.host", "applies to all languages, but their upstreams have different hosts")
}

// encryptedCalls checks that the calls in each language are encrypted, unless plain
// HTTP is allowed.
func (f *faults) encryptedCalls(list []i18n.Language, plainHTTP bool) {
	for i, l := range list {
		f.encrypted(fmt.Sprintf("languages[%d].upstream", i), l.Upstream, plainHTTP)
	}
}
