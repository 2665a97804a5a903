package i18n

import (
	"cmp"
	"slices"
	"strings"
)

// Codes are the languages that clients may ask for. Each has a catalog.
var Codes = []string{"en", "es", "de", "fr"}

// Select is how a call names its language to the legacy.
type Select string

// The ways to tell.
const (
	ByPath      Select = "path"      // by its REST root alone
	ByParameter Select = "parameter" // by its language parameter, on every request
	ByBoth      Select = "both"      // by its root, and by the parameter where the client named a language
)

// Language is one language, and its roots at the facade and at the site. No root has a slash at its end.
type Language struct {
	// Code is one of en, es, de, fr.
	Code string `yaml:"code"`

	// Root is the path prefix of the language at the facade, such as /es/wp-json.
	// Languages may share a root only if [Language.Select] of each is parameter.
	// Default empty: no prefix.
	Root string `yaml:"root" check:"path"`

	// Upstream is the REST root of the language at the legacy site: an http or
	// https URL that ends with the site's prefix, such as /wp-json, or with
	// ?rest_route=/ if the site uses plain permalinks. It must not contain
	// credentials, because it appears in logs.
	Upstream string `yaml:"upstream" check:"root"`

	// Select is how a call to the site selects the language: "path", by its upstream
	// only; "parameter", by `upstream.language_param` only; "both". Default both.
	Select Select `yaml:"select" default:"both" check:"in path parameter both"`

	// Tell is the value of `upstream.language_param` for the language, such as de_DE.
	// Default empty: the code.
	Tell string `yaml:"tell" check:"tell"`

	// Site names the WordPress site of [Language.Upstream]. Languages of one site show the
	// same items: a write or a purge in one language purges the responses of all.
	// Name each site if the languages are separate sites, which number their items
	// independently. Default empty: all languages are one site, which is safe for
	// every setup.
	Site string `yaml:"site" check:"?site"`

	// Aliases are other base URLs of the site in the links of this language, such as
	// its http form, or its domain with or without www. The aliases of the first
	// language apply to languages below the same site too. Default empty.
	Aliases []string `yaml:"site_aliases" check:"url"`
}

// UpstreamCode is the legacy's name of the language.
func (l Language) UpstreamCode() string { return cmp.Or(l.Tell, l.Code) }

// Languages are the languages of a site that have a root. The first is the default.
type Languages []Language

// Choice has the language that a request is answered in.
type Choice struct {
	Index  int    // of the language that answers
	Tell   string // the language in the legacy's language parameter; "" omits the parameter
	ByPath bool   // the language is selected by the root alone
	Spoken string // the language of the facade's own texts
}

// Choose returns the language for a request to the root of language root with the language parameter code,
// or "" without the parameter. The root of the default language answers for a language without a root.
func (s Languages) Choose(root int, code string) Choice {
	choice := Choice{Index: root, Tell: code, Spoken: code}
	if code != "" {
		choice.Index = max(0, slices.IndexFunc(s, func(l Language) bool { return l.Code == code }))
	}
	answering := s[choice.Index]
	if code == "" {
		choice.Spoken = answering.Code
	}
	switch answering.Select {
	case ByParameter:
		choice.Tell = cmp.Or(code, answering.Code)
	case ByPath:
		choice.Tell = ""
		choice.ByPath = true
	}
	return choice
}

// RootOf returns the index of the language for a path without a route: the language with the longest root that
// fits, in any case of letters, or the default language.
func (s Languages) RootOf(path string) int {
	best := 0
	longest := -1
	for i, l := range s {
		suffix, fits := strings.CutPrefix(strings.ToLower(path), strings.ToLower(l.Root))
		if fits && len(l.Root) > longest && (suffix == "" || suffix[0] == '/') {
			best = i
			longest = len(l.Root)
		}
	}
	return best
}

// Together lists the codes of the languages on the WordPress site of language i.
func (s Languages) Together(i int) []string {
	var codes []string
	for _, l := range s {
		if l.Site == s[i].Site {
			codes = append(codes, l.Code)
		}
	}
	return codes
}

// Codes lists the codes of the languages.
func (s Languages) Codes() []string {
	codes := make([]string, len(s))
	for i, l := range s {
		codes[i] = l.Code
	}
	return codes
}
