package config

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/calfacade/calfacade/i18n"
)

func (f *faults) languages(list i18n.Languages, u Upstream) {
	f.check(len(list) > 0, "languages", "at least one is required")
	hosts := map[string]bool{}
	for i, l := range list {
		key := fmt.Sprintf("languages[%d]", i)
		f.oneOf(key+".code", l.Code, i18n.Codes...)
		f.check(l.Select != i18n.ByParameter || u.LanguageParam != "", key+".select",
			"parameter requires upstream.language_param, which is empty")
		f.repeats(key, l, list[:i])
		f.encrypted(key+".upstream", l.Upstream, u.AllowPlainHTTP)
		if u, err := url.Parse(l.Upstream); err == nil {
			hosts[u.Host] = true
		}
	}
	f.check(u.Host == "" || len(hosts) <= 1, "upstream.host", "applies to all languages, but their upstreams have different hosts")
}

// repeats checks a language against those before it.
func (f *faults) repeats(key string, l i18n.Language, earlier []i18n.Language) {
	for i, language := range earlier {
		f.check(l.Code != language.Code, key+".code", "%q is also the code of languages[%d]", l.Code, i)
		byParameter := l.Select == i18n.ByParameter && language.Select == i18n.ByParameter
		f.check(l.Root != language.Root || byParameter, key+".root",
			"%q is also the root of languages[%d], which is possible only if both have select: parameter", l.Root, i)
		f.check(cmp.Or(l.Tell, l.Code) != cmp.Or(language.Tell, language.Code) || l.Code == language.Code, key+".tell",
			"%q is also the name of languages[%d] at the site", cmp.Or(l.Tell, l.Code), i)
		f.check(l.Upstream != language.Upstream || l.Site == language.Site, key+".site",
			"%q is not that of languages[%d], which has the same upstream", l.Site, i)
	}
}
