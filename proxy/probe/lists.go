package probe

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// unknownParam is a parameter that no site has. Lists that differ with it differ anyway.
const unknownParam = "calfacade_made_up"

// query is a list below a REST root of a backend, with a parameter that names a language.
type query struct {
	list    *mapping.Call
	backend *Backend
	root    int    // index of its language
	param   string // "" for none
	code    string // of the language that param names
}

func (q query) url() string { return q.backend.Roots[q.root].Upstream }

// listSample has the parts that differ by language on the first page of a list.
type listSample struct {
	err   error
	total int
	items []listItem
	links []string // parallel to items
}

type listItem struct{ id, words string }

// sameItems reports whether two lists have the same items.
func (s listSample) sameItems(o listSample) bool {
	return s.err == nil && o.err == nil && s.total == o.total &&
		slices.EqualFunc(s.items, o.items, func(a, b listItem) bool { return a.id == b.id })
}

// equals reports whether they have the same texts, too.
func (s listSample) equals(o listSample) bool {
	return s.sameItems(o) && slices.Equal(s.items, o.items)
}

// shares reports whether another list has an item of this one, with the same text.
func (s listSample) shares(o listSample) bool {
	return slices.ContainsFunc(s.items, func(i listItem) bool { return slices.Contains(o.items, i) })
}

// differ reports whether all lists were received and no two are the same.
func differ(samples []listSample) bool {
	for i, s := range samples {
		if s.err != nil || slices.ContainsFunc(samples[:i], s.equals) {
			return false
		}
	}
	return true
}

// get requests a list once.
func (c *comparison) get(ctx context.Context, q query) listSample {
	s, ok := c.samples[q]
	if !ok {
		s = c.fetch(ctx, q)
		c.samples[q] = s
	}
	return s
}

func (c *comparison) fetch(ctx context.Context, q query) listSample {
	b := *q.backend
	b.Dialect.LanguageParam = q.param
	response, err := b.list(ctx, q.url(), q.list, q.code)
	if err != nil {
		return listSample{err: err}
	}
	page, err := mapping.ParseList(q.list, response.Body)
	if err != nil {
		return listSample{err: rewrite.ErrNotJSON} // err may quote the body
	}
	s := listSample{total: page.Total}
	for _, item := range page.Items {
		s.items = append(s.items, listItem{id: item.ID, words: mapping.Words(q.list, item)})
		s.links = append(s.links, item.Page())
	}
	return s
}

// What Polylang adds to the REST API of the site.
const (
	polylangNamespace = "pll/v1"
	polylangParam     = "lang"
)

// pluginLanguages returns the codes of the languages that Polylang lists to anonymous clients; nil if it is not
// installed or does not respond.
func (r *root) pluginLanguages(ctx context.Context) (codes []string) {
	if !slices.Contains(r.index.Namespaces, polylangNamespace) {
		return nil
	}
	response, err := read(ctx, r.backend.Caller, r.Upstream, get("/"+polylangNamespace+"/languages"))
	var list []struct{ Slug string }
	if err != nil || json.Unmarshal(response.Body, &list) != nil {
		return nil
	}
	for _, l := range list {
		codes = append(codes, l.Slug)
	}
	return codes
}
