package proxy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/surrogate"
	"github.com/calfacade/calfacade/proxy/upstream"
)

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
	parts := []any{
		o.Site, o.PublicURL, o.Pages, is.Name, is.Dialect.Place(), is.Dialect.LanguageParam, is.Dialect.IDs.String(), is.Upstreams, is.SiteAliases,
		o.Legacy.Namespace, o.Legacy.LanguageParam, // in which some clients are answered
	}
	if host := o.Upstream.Access.Host; host != "" {
		parts = append(parts, host)
	}
	if is.Name != upstream.LegacyName && len(is.Dialect.Languages) > 0 { // the legacy's are in Site
		parts = append(parts, is.Dialect.Languages)
	}
	if is.WordPress != "" {
		parts = append(parts, "images", is.WordPress)
	}
	if o.Surrogate != (surrogate.Options{}) { // entries have what other caches get
		parts = append(parts, "surrogate", fmt.Sprintf("%+v", o.Surrogate))
	}
	_, _ = fmt.Fprintf(h, "%q", parts)
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// Candidate identifies the backend in a [staging.Plan], by name and URLs. The mapping of ids
// and languages is not part of it: writes that were accepted with another mapping went to the
// same site.
func (b BackendOptions) Candidate() staging.Candidate {
	return staging.Candidate{Name: b.Name, Place: fmt.Sprintf("%q", []any{b.Dialect.Place(), b.Upstreams})}
}
