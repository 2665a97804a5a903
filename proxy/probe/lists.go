package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// way is one way to select each of the languages.
type way struct {
	method  i18n.Select
	param   string // "" for [i18n.ByPath]
	backend *Backend
}

// query returns the list of a root's language, selected this way.
func (w way) query(r *examinedRoot) query {
	q := query{backend: w.backend, root: r.language}
	if w.method != i18n.ByPath {
		q.param = w.param
		q.code = r.Language
	}
	if w.method == i18n.ByParameter {
		q.root = 0
	}
	return q
}

func (w way) String() string {
	if w.method == i18n.ByPath {
		return "select: path"
	}
	return fmt.Sprintf("select: %s with upstream.language_param: %s", w.method, w.param)
}

// unknownParam is a parameter that no site has. Lists that differ with unknownParam differ anyway.
const unknownParam = "calfacade_made_up"

// query is a list below a REST root of a backend, with a parameter that names a language.
type query struct {
	list    *mapping.Call
	backend *Backend
	root    int    // index of the root's language
	param   string // "" without a parameter
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

// The additions of Polylang to the REST API of the site.
const (
	polylangNamespace = "pll/v1"
	polylangParam     = "lang"
)

// pluginLanguages returns the codes of the languages that Polylang lists to anonymous clients; nil without Polylang,
// or without a response.
func (r *examinedRoot) pluginLanguages(ctx context.Context) (codes []string) {
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
