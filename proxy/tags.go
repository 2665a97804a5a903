package proxy

import (
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// tagSpaces returns for each language the roots that show the same items.
func tagSpaces(site i18n.Site) mapping.TagSpaces {
	spaces := make(mapping.TagSpaces, len(site))
	for i := range site {
		spaces[i].Roots = site.Together(i)
		if len(spaces[i].Roots) < len(site) {
			spaces[i].Site = spaces[i].Roots[0]
		}
	}
	return spaces
}
