package proxy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// BackendOptions configure a backend beside the legacy.
type BackendOptions struct {
	Name        string            // [a-z0-9-]+, and not [upstream.LegacyName]
	Dialect     mapping.Backend   // its kind and parameters
	Upstreams   map[string]string // REST roots by code of the language, as [i18n.Language.Upstream]; the legacy serves languages without one
	SiteAliases []string          // other spellings of the site in its links
	WordPress   string            // the URL that images are below in its links; "" is the site

	LanguageAliases map[string][]string // other spellings of the site in links of one language, by its code
}

// LegacyOptions configure the dialect of the legacy, and the links of its responses.
type LegacyOptions struct {
	Dialect       *mapping.Dialect // nil is [mapping.Tribe]
	Namespace     string           // "tribe/events/v1"
	LanguageParam string           // "wpml_language"; "" where the site has none
	SiteAliases   []string         // other spellings of the site in its links
	WordPress     string           // the URL that images are below in its links; "" is the site
}

// legacyBackend returns the backend whose roots are in Site.
func legacyBackend(o Options) BackendOptions {
	b := BackendOptions{
		Name:        upstream.LegacyName,
		Dialect:     mapping.Backend{Dialect: cmp.Or(o.Legacy.Dialect, mapping.Tribe), Namespace: o.Legacy.Namespace, LanguageParam: o.Legacy.LanguageParam},
		Upstreams:   map[string]string{},
		SiteAliases: o.Legacy.SiteAliases,
		WordPress:   o.Legacy.WordPress,

		LanguageAliases: map[string][]string{},
	}
	b.Dialect.Languages = map[string]string{}
	for _, l := range o.Site {
		b.Upstreams[l.Code], b.LanguageAliases[l.Code] = l.Upstream, l.Aliases
		if l.Tell != "" {
			b.Dialect.Languages[l.Code] = l.Tell
		}
	}
	return b
}

// shapeOf returns a hash of all options that responses depend on. A facade with other options
// must not serve entries of this one, whose links may point elsewhere, and neither must
// another backend.
func shapeOf(is BackendOptions, o Options) string {
	h := sha256.New()
	parts := []any{o.Site, o.PublicURL, o.Pages, is.Name, is.Dialect.Place(), is.Dialect.LanguageParam, is.Dialect.IDs.String(), is.Upstreams, is.SiteAliases}
	if host := o.Upstream.Access.Host; host != "" {
		parts = append(parts, host)
	}
	if is.Name != upstream.LegacyName && len(is.Dialect.Languages) > 0 { // the legacy's are in Site
		parts = append(parts, is.Dialect.Languages)
	}
	if is.WordPress != "" {
		parts = append(parts, "images", is.WordPress)
	}
	_, _ = fmt.Fprintf(h, "%q", parts)
	return hex.EncodeToString(h.Sum(nil)[:4])
}
