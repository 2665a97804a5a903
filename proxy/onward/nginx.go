package onward

import (
	"net/url"
	"slices"

	"github.com/calfacade/calfacade/mapping"
)

// nginxCalls purges by URL, which is all that nginx can do: items, and lists without parameters, at
// the root of each language. It does not know the parameters that clients used, nor which
// responses show an item.
func (t Target) nginxCalls(b batch, site Site) []call {
	about := site.about(b.Tags)
	if b.All {
		about = site.lists()
	}
	var all []call
	var seen []string
	for _, s := range about {
		if s.URL == "" || s.Scope != mapping.OneItem && s.Scope != mapping.ListsOfLanguage {
			continue
		}
		u, err := url.Parse(s.URL)
		if err != nil || slices.Contains(seen, u.Path) {
			continue
		}
		seen = append(seen, u.Path)
		all = append(all, call{method: "PURGE", url: t.URL + u.EscapedPath(), header: t.bearer()})
	}
	return all
}
