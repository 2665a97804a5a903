package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Backend is a site beside the legacy site of [Config.Languages] and
// [Config.Upstream]. Its calls are subject to the limits of [Config.Upstream].
type Backend struct {
	// Name is the name by which [Staging.Candidate] selects the backend: at most 32
	// of a-z, 0-9 and -, but not "legacy".
	Name string `yaml:"name" check:"name"`

	// Dialect is the API of the site: tribe/events/v1, calendar/events/v1 or
	// tec/v1.
	Dialect string `yaml:"dialect" check:"in calendar/events/v1 tec/v1 tribe/events/v1"`

	// LanguageParam is the query parameter that names the language of a call.
	// Default empty: each language has an upstream of its own.
	LanguageParam string `yaml:"language_param" check:"?param"`

	// Upstreams are the REST roots, by the code of the language, at least one. The
	// legacy site serves the languages that are missing here.
	Upstreams map[string]string `yaml:"upstreams" check:"root"`

	// Tell are the values of [Backend.LanguageParam], such as de_DE, by the code of the
	// language. Default empty: the codes.
	Tell map[string]string `yaml:"tell" check:"tell"`

	// SiteAliases are other base URLs of the site in its links. Default empty.
	SiteAliases []string `yaml:"site_aliases" check:"url"`

	// IDs is a file of the items whose ids differ from those of the legacy site.
	// Each line has a resource, the id at the legacy site and the id at the
	// backend: events,12,900. Clients keep using the ids of the legacy site.
	// Default empty: all ids are the same.
	IDs string `yaml:"ids" file:"yes"`

	ids mapping.IDs // the content of IDs
}

// ItemIDs returns the content of the file IDs.
func (b Backend) ItemIDs() mapping.IDs { return b.ids }

// backends checks backends of a site with these languages.
func (f *faults) backends(list []Backend, codes []string, plainHTTP bool) {
	var names []string
	for i, b := range list {
		key := fmt.Sprintf("backends[%d]", i)
		f.check(b.Name != upstream.LegacyName, key+".name", "%q is the name of the legacy site", b.Name)
		f.check(!slices.Contains(names, b.Name), key+".name", "%q is also the name of another backend", b.Name)
		names = append(names, b.Name)
		f.check(len(b.Upstreams) > 0, key+".upstreams", "at least one is required")
		for _, code := range slices.Sorted(maps.Keys(b.Upstreams)) {
			f.oneOf(key+".upstreams", code, codes...)
			f.encrypted(key+".upstreams."+code, b.Upstreams[code], plainHTTP)
		}
		f.languageNames(key+".tell", b)
	}
}

// languageNames checks the names of languages at a backend.
func (f *faults) languageNames(key string, b Backend) {
	f.check(len(b.Tell) == 0 || b.LanguageParam != "", key, "requires language_param, which is empty")
	codes := slices.Sorted(maps.Keys(b.Upstreams))
	for _, code := range slices.Sorted(maps.Keys(b.Tell)) {
		f.check(slices.Contains(codes, code), key, "%q has no upstream", code)
	}
	for i, code := range codes {
		name := cmp.Or(b.Tell[code], code)
		for _, earlier := range codes[:i] {
			f.check(name != cmp.Or(b.Tell[earlier], earlier), key, "%q is the name of both %s and %s", name, earlier, code)
		}
	}
}

// dialects are the dialects of backends, by their namespaces.
var dialects = map[string]*mapping.Dialect{
	mapping.Neutral.Namespace: mapping.Neutral, tec.Dialect.Namespace: tec.Dialect, tribe.Dialect.Namespace: tribe.Dialect,
}

// DialectOf returns the dialect of a namespace; nil for an unknown namespace.
func DialectOf(namespace string) *mapping.Dialect { return dialects[namespace] }

// LanguageNames returns the names of languages at the backend that differ from their codes.
func (b Backend) LanguageNames() map[string]string {
	names := maps.Clone(b.Tell)
	maps.DeleteFunc(names, func(_, name string) bool { return name == "" })
	return names
}
