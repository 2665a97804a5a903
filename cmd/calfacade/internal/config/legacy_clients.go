package config

import (
	"fmt"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

// LegacyNames returns the options of the legacy's names from a valid configuration; nil if they are not
// served. If the site has another dialect by now, the configuration lacks such names, and the names of
// tribe/events/v1 apply.
func (c Config) LegacyNames() *legacyclients.Options {
	l := c.LegacyClients
	if !l.Enabled {
		return nil
	}
	o := l.Options
	o.Names = mapping.API{Dialect: tribe.Dialect, LanguageParam: tribe.Dialect.LanguageParam}
	if DialectOf(c.Upstream.Dialect) == tribe.Dialect {
		o.Names.LanguageParam = c.Upstream.LanguageParam
		o.Names.Languages = map[string]string{}
		for _, language := range c.Languages {
			if language.Tell != "" {
				o.Names.Languages[language.Code] = language.Tell
			}
		}
	}
	return &o
}

func (f *faults) legacyClients(c Config) {
	l := c.LegacyClients
	f.check(l.Deprecated.IsZero() || l.Sunset.IsZero() || !l.Sunset.Before(l.Deprecated), "legacy_clients.sunset",
		"%s is before legacy_clients.deprecated (RFC 9745, 4)", l.Sunset.Format(time.RFC3339))
	for i, b := range l.Brownouts {
		f.check(b.To.IsZero() || b.From.Before(b.To), fmt.Sprintf("legacy_clients.brownouts[%d].to", i),
			"%s is not after from", b.To.Format(time.RFC3339))
	}
	if l.Enabled && c.LegacyNames().Names.LanguageParam == "" {
		f.check(!sharesRoots(c.Languages), "legacy_clients.enabled",
			"languages share a root: upstream.language_param must be set, to select one")
	}
}

// sharesRoots reports whether two languages share a root of the facade.
func sharesRoots(list []i18n.Language) bool {
	roots := map[string]bool{}
	for _, l := range list {
		roots[l.Root] = true
	}
	return len(roots) < len(list)
}
