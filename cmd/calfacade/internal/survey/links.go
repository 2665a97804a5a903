package survey

import (
	"strings"

	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Links are the URLs of calls at a facade.
type Links struct {
	bases  map[string]string // URL of the namespace, by language
	naming map[string]string // query that a root needs for a language, see [rewrite.Naming]
}

// NewLinks returns the links of a facade with these roots.
func NewLinks(roots []rewrite.Root) Links {
	l := Links{map[string]string{}, map[string]string{}}
	for i, root := range roots {
		l.bases[root.Language] = root.Base()
		l.naming[root.Language] = rewrite.Naming(roots, i, root.Language)
	}
	return l
}

// Of returns the URL of a call, given by its path and query, in a language.
func (l Links) Of(language, call string) string {
	naming := l.naming[language]
	if strings.Contains(call, "?") {
		naming = strings.Replace(naming, "?", "&", 1)
	}
	return l.bases[language] + call + naming
}
