package tribe

import (
	"context"
	"errors"
	"html"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// A tag of a write is sent by id. The legacy finds a tag that a write names by slug or by name, and then uses
// the id as the name of another tag: "free" creates a tag called "34" (recordings create-json,
// create-form-arrays, create-tags-by-*). Only a name that no tag has is sent as a name, and creates the tag.
// Categories have no such defect (recordings create-categories-by-*).
//
// slug= finds the tag with WordPress's slug of the name, and search= the other tags with that name
// (recordings tags/en/list-slug-of-name-*, list-search-*).

// maxTermReads is the maximum number of reads that look up the terms of a write: two for each name, or more if
// many tags contain a name.
const maxTermReads = 60

// The legacy leaves out an id of a term that does not exist (recording
// odd-create-with-categories-number-unknown), and refuses to list the terms with that id. So that list is read
// first, unless the item has the terms.

// withTerms returns a write with the ids of the named terms, and fails if an id may not exist.
func (t *client) withTerms(ctx context.Context, c *mapping.Call) (*mapping.Call, error) {
	done := *c
	done.Fields = slices.Clone(c.Fields)
	for i := range done.Fields {
		a := &done.Fields[i]
		if a.Param.Kind != mapping.Terms {
			continue
		}
		ids := t.newIDs(c, a)
		if ids != nil {
			if err := t.findTerms(ctx, c, a.Param, ids); err != nil {
				return nil, err
			}
		}
		terms := jsonscan.AsList(jsontext.Value(a.JSON))
		if a.Param.LookedUp {
			var err error
			if terms, err = t.resolved(ctx, c, a.Param, terms); err != nil {
				return nil, err
			}
		}
		a.JSON = jsonscan.List(terms)
	}
	return &done, nil
}

// newIDs returns the ids in a field of terms that the item does not have.
func (t *client) newIDs(c *mapping.Call, a *mapping.Written) (ids []string) {
	present := strings.Split(t.preservedIDs(a.Param, jsonscan.Get(c.Found, a.Param.Name)).text, ",")
	for _, term := range jsonscan.AsList(jsontext.Value(a.JSON)) {
		if term.Kind() == '0' && !slices.Contains(present, term.String()) {
			ids = append(ids, term.String())
		}
	}
	return ids
}

// findTerms fails if an id has no term.
func (t *client) findTerms(ctx context.Context, c *mapping.Call, p *mapping.Param, ids []string) error {
	_, err := t.readFirst(ctx, c, mapping.TermsByID(p.Of, ids, c.Language))
	refused, ok := errors.AsType[*mapping.Refused](err)
	switch {
	case !ok || refused.Reply.Status != http.StatusBadRequest:
		return err
	case c.InLegacyNames: // the site leaves such an id out (recording odd-create-with-categories-number-unknown)
		return nil
	}
	return mapping.Faults{*p.Fault(mapping.CodeInvalid, "unknown_term")}
}

// resolved returns the elements of the field with ids instead of the names of existing terms. Of several new
// names that are one term to the legacy only the first is sent: the legacy would find the term that it has just
// created.
func (t *client) resolved(ctx context.Context, c *mapping.Call, p *mapping.Param, terms []jsontext.Value) ([]jsontext.Value, error) {
	var names []string
	var resolved []jsontext.Value
	for _, item := range terms {
		if item.Kind() == '"' {
			name := foldedName(jsonscan.Text(item))
			if slices.Contains(names, name) {
				continue
			}
			names = append(names, name)
			var err error
			if item, err = t.term(ctx, c, p, item); err != nil {
				return nil, err
			}
		}
		if !slices.ContainsFunc(resolved, func(listed jsontext.Value) bool { return sameTerm(item, listed) }) {
			resolved = append(resolved, item)
		}
	}
	return resolved, nil
}

// sameTerm reports whether two elements are one id, or new names with one slug.
func sameTerm(a, b jsontext.Value) bool {
	if a.Kind() != '"' || b.Kind() != '"' {
		return string(a) == string(b)
	}
	slug := mapping.SafeSlug(jsonscan.Text(a))
	return slug != "" && slug == mapping.SafeSlug(jsonscan.Text(b))
}

// search is a list in which a term may be found.
type search struct {
	list    *mapping.Call
	matches func(term jsontext.Value) bool
	pages   bool // the term may be on any page
}

// searchesFor returns the lists in which the term with a slug or name is searched for, in the order of the searches.
func searchesFor(p *mapping.Param, name, language string) (searches []search) {
	hasName := func(term jsontext.Value) bool {
		return sameName(name, jsonscan.Text(jsonscan.Get(term, mapping.NameField(p.Of))))
	}
	slug := mapping.SafeSlug(name)
	if slug != "" {
		searches = append(searches, search{
			list:    mapping.TermList(p.Of, mapping.SlugParam.Name, slug, language),
			matches: func(term jsontext.Value) bool { return hasName(term) || mapping.HasSlug(name, term) },
		})
	}
	word := longestWord(name)
	if word != "" {
		searches = append(searches, search{
			list:    mapping.TermList(p.Of, mapping.SearchName, word, language),
			matches: hasName,
			pages:   true,
		})
	}
	return searches
}

// firstSearch returns the first list in which a term of a field is searched for; nil without a search.
func firstSearch(c *mapping.Call, a *mapping.Written) *mapping.Call {
	for _, term := range jsonscan.AsList(jsontext.Value(a.JSON)) {
		if !a.Param.LookedUp || term.Kind() != '"' {
			continue
		}
		searches := searchesFor(a.Param, jsonscan.Text(term), c.Language)
		if len(searches) > 0 {
			return searches[0].list
		}
	}
	return nil
}

// term returns the id of the term with a slug or name, or the name if there is no such term.
func (t *client) term(ctx context.Context, c *mapping.Call, p *mapping.Param, name jsontext.Value) (jsontext.Value, error) {
	for _, s := range searchesFor(p, jsonscan.Text(name), c.Language) {
		for page, last := 1, 1; page <= last; page++ {
			list := s.list
			if s.pages {
				list = list.OnPage(page)
			}
			id, pages, err := t.find(ctx, c, p, list, s.matches)
			if err != nil || id != nil {
				return id, err
			}
			if s.pages {
				last = pages
			}
		}
	}
	return name, nil
}

// find reads a page of a list of terms, and returns the id of the first term that matches, nil without a match,
// and the number of pages.
func (t *client) find(
	ctx context.Context, c *mapping.Call, p *mapping.Param, list *mapping.Call, matches func(term jsontext.Value) bool,
) (id jsontext.Value, pages int, err error) {
	t.termReads++
	if t.termReads > maxTermReads {
		return nil, 0, mapping.Faults{*p.Fault(mapping.CodeTooMany, "common_names")}
	}
	body, err := t.readFirst(ctx, c, list)
	if err != nil {
		return nil, 0, err
	}
	terms, err := jsonscan.Elements(jsonscan.Get(body, p.Of))
	if err != nil {
		return nil, 0, mapping.ErrIncomplete
	}
	for _, term := range terms {
		if id, ok := mapping.ItemID(term); ok && matches(term) {
			return jsontext.Value(t.IDs.Legacy(p.Of, id)), 0, nil
		}
	}
	return nil, list.Pages(mapping.ParseCount(string(jsonscan.Get(body, mapping.TotalName)))), nil
}

// longestWord returns the longest part of a name that the legacy stores unchanged: the legacy stores the
// characters of markup as entities, and search= finds no name by an entity (recording list-search-ampersand).
func longestWord(name string) (longest string) {
	for part := range strings.FieldsFuncSeq(html.UnescapeString(name), func(r rune) bool { return strings.ContainsRune("&<>", r) }) {
		words := strings.Join(strings.Fields(part), " ")
		runes := []rune(words)
		if len(runes) > maxSearch {
			words = string(runes[:maxSearch])
		}
		if len(words) > len(longest) {
			longest = words
		}
	}
	return longest
}

// maxSearch is the number of characters of a name that are searched for: a part finds the name too.
const maxSearch = 100

// sameName reports whether the legacy's database considers two names equal: the database distinguishes neither
// case nor accents.
func sameName(a, b string) bool { return foldedName(a) == foldedName(b) }

func foldedName(s string) string {
	s = norm.NFD.String(html.UnescapeString(mapping.ReplaceTags(s, "")))
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// typography reverts the quotes and dashes that WordPress shows to the characters that were written.
var typography = strings.NewReplacer(
	"‘", "'", "’", "'", "′", "'", "“", `"`, "”", `"`, "″", `"`,
	"–", "-", "—", "-", "---", "-", "--", "-", "…", "...",
)

// plainWords is a text without markup, entities and typography, in which a text that a client wrote compares
// with the text that the legacy shows.
func plainWords(s string) string {
	s = html.UnescapeString(mapping.ReplaceTags(s, " "))
	return strings.Join(strings.Fields(typography.Replace(s)), " ")
}
