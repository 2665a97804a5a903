package config

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Backend is a site beside the legacy site of [Config.Languages] and
// [Config.Upstream]. Its calls are subject to the limits of [Config.Upstream].
type Backend struct {
	// Name is the name by which [Staging.Candidate] selects the backend: a-z, 0-9
	// and -, but not "legacy".
	Name string `yaml:"name"`

	// Dialect is the API of the site: tribe/events/v1, calendar/events/v1 or
	// tec/v1.
	Dialect string `yaml:"dialect"`

	// Namespace is the path of the API below each of [Backend.Upstreams]. Default
	// empty: the namespace of the dialect.
	Namespace string `yaml:"namespace"`

	// LanguageParam is the query parameter that names the language of a call.
	// Default empty: each language has an upstream of its own.
	LanguageParam string `yaml:"language_param"`

	// Upstreams are the REST roots, by the code of the language, at least one. The
	// legacy site serves the languages that are missing here.
	Upstreams map[string]string `yaml:"upstreams"`

	// Tell are the values of [Backend.LanguageParam], such as de_DE, by the code of the
	// language. Default none: the codes.
	Tell map[string]string `yaml:"tell"`

	// SiteAliases are other base URLs of the site in its links. Default none.
	SiteAliases []string `yaml:"site_aliases"`

	// IDs is a file of the items whose ids differ from those of the legacy site.
	// Each line has a resource, the id at the legacy site and the id at the
	// backend: events,12,900. Clients keep using the ids of the legacy site.
	// Default none: all ids are the same.
	IDs string `yaml:"ids"`

	ids *mapping.IDs // the content of IDs
}

// ItemIDs returns the content of the file IDs; nil without a file.
func (b Backend) ItemIDs() *mapping.IDs { return b.ids }

var (
	backendName      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	namespacePattern = regexp.MustCompile(`^[a-z0-9-]+(/[a-z0-9-]+)*$`)
	paramPattern     = regexp.MustCompile(`^([a-z_][a-z0-9_]*)?$`)
)

// backends checks backends of a site with these languages.
func (f *faults) backends(list []Backend, codes []string, plainHTTP bool) {
	var names []string
	for i, b := range list {
		key := fmt.Sprintf("backends[%d]", i)
		f.check(backendName.MatchString(b.Name) && b.Name != upstream.LegacyName, key+".name", `must be made of a-z, 0-9 and -, and not be "legacy", but is %q`, b.Name)
		f.check(!slices.Contains(names, b.Name), key+".name", "%q is also the name of another backend", b.Name)
		names = append(names, b.Name)
		f.oneOf(key+".dialect", b.Dialect, dialectNames()...)
		f.check(b.Namespace == "" || namespacePattern.MatchString(b.Namespace), key+".namespace",
			"%q is not a path such as tec/v1, made of a-z, 0-9, - and /", b.Namespace)
		f.check(paramPattern.MatchString(b.LanguageParam), key+".language_param", "%q is neither empty nor a name of a-z, 0-9 and _", b.LanguageParam)
		f.check(len(b.Upstreams) > 0, key+".upstreams", "at least one is required")
		for _, code := range slices.Sorted(maps.Keys(b.Upstreams)) {
			f.oneOf(key+".upstreams", code, codes...)
			f.restRoot(key+".upstreams."+code, b.Upstreams[code])
			f.encrypted(key+".upstreams."+code, b.Upstreams[code], plainHTTP)
		}
		f.languageNames(key+".tell", b)
		for j, alias := range b.SiteAliases {
			f.url(fmt.Sprintf("%s.site_aliases[%d]", key, j), alias)
		}
	}
}

// languageNames checks the names of languages at a backend.
func (f *faults) languageNames(key string, b Backend) {
	f.check(len(b.Tell) == 0 || b.LanguageParam != "", key, "requires language_param, which is empty")
	codes := slices.Sorted(maps.Keys(b.Upstreams))
	for _, code := range slices.Sorted(maps.Keys(b.Tell)) {
		f.check(slices.Contains(codes, code), key, "%q has no upstream", code)
		f.check(tellPattern.MatchString(b.Tell[code]), key+"."+code, "%q is neither empty nor made of letters, digits, - and _", b.Tell[code])
	}
	for i, code := range codes {
		name := cmp.Or(b.Tell[code], code)
		for _, other := range codes[:i] {
			f.check(name != cmp.Or(b.Tell[other], other), key, "%q is the name of both %s and %s", name, other, code)
		}
	}
}

// dialects are the dialects of backends.
var dialects = []*mapping.Dialect{mapping.Neutral, tec.Dialect, mapping.Tribe}

// knownDifferences are the known differences of backends, by the namespaces of their dialects.
var knownDifferences = map[string][]compare.Known{tec.Dialect.Namespace: tec.Differences()}

// DialectOf returns the dialect of a namespace; nil for none.
func DialectOf(namespace string) *mapping.Dialect {
	for _, d := range dialects {
		if d.Namespace == namespace {
			return d
		}
	}
	return nil
}

func dialectNames() []string {
	var names []string
	for _, d := range dialects {
		names = append(names, d.Namespace)
	}
	return names
}

// LanguageNames returns the names of languages at the backend that differ from their codes.
func (b Backend) LanguageNames() map[string]string {
	names := maps.Clone(b.Tell)
	maps.DeleteFunc(names, func(_, name string) bool { return name == "" })
	return names
}
