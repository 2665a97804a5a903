package mapping

import (
	"cmp"
	"html"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// A tag of a write goes out by its id. The legacy finds a tag that a write names, by its slug or by
// its name, and then uses the id as the name of another tag: "free" creates a tag called "34"
// (recordings create-json, create-form-arrays, create-tags-by-*). Only a name that no tag has goes
// out as a name, and creates the tag. Categories have no such defect (recordings
// create-categories-by-*).
//
// slug= finds what WordPress's slug of the name finds, and search= the other tags with that name
// (recordings tags/en/list-slug-of-name-*, list-search-*).

const (
	MaxLookups   = 20 // named terms of a write
	maxTermReads = 60 // calls that look up the terms of a write: two for each name, or more if many names contain one
)

// The legacy leaves out an id of a term that does not exist (recording
// odd-create-with-categories-number-unknown), and refuses a list that includes it. So that list
// is read first, unless the item has the terms.

// IncludeName is the filter of lists that names the ids of the items, and is refused if there is none.
const IncludeName = "include"

// SearchName is the filter of lists by a part of the name.
const SearchName = "search"

// withTerms returns a write with the ids of the terms that it names, and fails if an id may not exist.
func (b Backend) withTerms(c *Call, read Reader) (*Call, error) {
	done := *c
	done.Fields = slices.Clone(c.Fields)
	for i := range done.Fields {
		a := &done.Fields[i]
		if a.Param.Kind != Terms {
			continue
		}
		items := jsonscan.AsList(jsontext.Value(a.JSON))
		has := strings.Split(b.preservedIDs(a.Param, jsonscan.Get(c.Found, a.Param.Name)).text, ",")
		var ids []string
		for _, item := range items {
			if item.Kind() == '0' && !slices.Contains(has, item.String()) {
				ids = append(ids, item.String())
			}
		}
		if ids != nil {
			if _, err := read(TermsByID(a.Param.Of, ids, c.Language)); err != nil {
				return nil, err
			}
		}
		if a.Param.LookedUp {
			l := termLookup{backend: b, param: a.Param, language: c.Language, read: read}
			var err error
			if items, err = l.resolved(items); err != nil {
				return nil, err
			}
		}
		a.JSON = jsonscan.List(items)
	}
	return &done, nil
}

// termLookup finds the ids of the terms that a field names.
type termLookup struct {
	backend  Backend
	param    *Param
	language string
	read     Reader
	reads    int
}

// resolved returns the elements of the field with ids instead of the names of existing terms. Of new
// names that are one term to the legacy only the first stays: it would find what it has just created.
func (l *termLookup) resolved(items []jsontext.Value) (resolved []jsontext.Value, err error) {
	var names []string
	for _, item := range items {
		if item.Kind() == '"' {
			name := foldedName(jsonscan.Text(item))
			if slices.Contains(names, name) {
				continue
			}
			names = append(names, name)
			if item, err = l.term(item); err != nil {
				return nil, err
			}
		}
		if !slices.ContainsFunc(resolved, func(other jsontext.Value) bool { return sameTerm(item, other) }) {
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
	slug := SafeSlug(jsonscan.Text(a))
	return slug != "" && slug == SafeSlug(jsonscan.Text(b))
}

// term returns the id of the term with a slug or name, or the name if there is no such term.
func (l *termLookup) term(name jsontext.Value) (jsontext.Value, error) {
	text := jsonscan.Text(name)
	if slug := SafeSlug(text); slug != "" {
		list := termList(l.param.Of, SlugParam.Name, slug, l.language)
		id, _, err := l.find(list, func(term jsontext.Value) bool { return l.hasName(text, term) || HasSlug(text, term) })
		if err != nil || id != nil {
			return id, err
		}
	}
	word := longestWord(text)
	if word == "" {
		return name, nil
	}
	list := termList(l.param.Of, SearchName, word, l.language)
	for page, pages := 1, 1; page <= pages; page++ {
		id, n, err := l.find(list.OnPage(page), func(term jsontext.Value) bool { return l.hasName(text, term) })
		if err != nil || id != nil {
			return id, err
		}
		pages = n
	}
	return name, nil
}

// hasName reports whether a term has a name.
func (l *termLookup) hasName(name string, term jsontext.Value) bool {
	return sameName(name, jsonscan.Text(jsonscan.Get(term, NameField(l.param.Of))))
}

// find reads a page of a list of terms. It returns the id of the first term that matches, nil if none
// does, and the number of pages.
func (l *termLookup) find(list *Call, matches func(term jsontext.Value) bool) (id jsontext.Value, pages int, err error) {
	if l.reads++; l.reads > maxTermReads {
		return nil, 0, Faults{*l.param.Fault(CodeTooMany, "common_names")}
	}
	body, err := l.read(list)
	if err != nil {
		return nil, 0, err
	}
	terms, err := jsonscan.Elements(jsonscan.Get(body, l.param.Of))
	if err != nil {
		return nil, 0, ErrIncomplete
	}
	for _, term := range terms {
		if id, ok := ItemID(term); ok && matches(term) {
			return jsontext.Value(l.backend.IDs.Legacy(l.param.Of, id)), 0, nil
		}
	}
	return nil, list.Pages(ParseCount(string(jsonscan.Get(body, "total")))), nil
}

// longestWord returns the longest part of a name that the legacy stores as it is: it stores the
// characters of markup as entities, and search= finds no name by one of them (recording
// list-search-ampersand).
func longestWord(name string) (longest string) {
	for part := range strings.FieldsFuncSeq(html.UnescapeString(name), func(r rune) bool { return strings.ContainsRune("&<>", r) }) {
		words := strings.Join(strings.Fields(part), " ")
		if runes := []rune(words); len(runes) > maxSearch {
			words = string(runes[:maxSearch])
		}
		if len(words) > len(longest) {
			longest = words
		}
	}
	return longest
}

// maxSearch is how many characters of a name are searched for: a part finds it too.
const maxSearch = 100

// sameName reports whether two names are one to the legacy's database: it distinguishes neither case
// nor accents.
func sameName(a, b string) bool { return foldedName(a) == foldedName(b) }

func foldedName(s string) string {
	s = norm.NFD.String(html.UnescapeString(htmlTag.ReplaceAllString(s, "")))
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// UnknownTerms returns the faults of a write after the response to a lookup: a term that the
// write names by its id does not exist. nil is none.
func (c *Call) UnknownTerms(lookup *Call, status int) Faults {
	for i := range c.Fields {
		if p := c.Fields[i].Param; status == http.StatusBadRequest && p.Kind == Terms && p.Of == lookup.Endpoint.Resource &&
			lookup.Value(IncludeName) != "" {
			return Faults{*p.Fault(CodeInvalid, "unknown_term")}
		}
	}
	return nil
}

// TermsByID is the list of the terms with the ids.
func TermsByID(resource string, ids []string, language string) *Call {
	e := RowOf(resource, List, false)
	return NewRead(e, language, Arg{e.param(IncludeName), sorted(ids)})
}

// termList is the list of all terms that pass one filter.
func termList(resource, filter, text, language string) *Call {
	c := listWith(RowOf(resource, List, false), func(p *Param) string {
		switch {
		case p.Name == filter:
			return text
		case p == &PageParam && filter == SearchName:
			return p.Default
		case p.Kind == Text:
			return "" // the order means nothing here
		}
		return p.widest()
	})
	c.Language = language
	return c
}

// widest returns the value with which a filter excludes the least; "" for none.
func (p *Param) widest() string { return cmp.Or(p.Widest, p.Lifted) }

// typography undoes what WordPress makes of quotes and dashes when it shows a text.
var typography = strings.NewReplacer(
	"‘", "'", "’", "'", "′", "'", "“", `"`, "”", `"`, "″", `"`,
	"–", "-", "—", "-", "---", "-", "--", "-", "…", "...",
)

// plainWords is a text without markup, entities and typography, in which what a
// client wrote and what the legacy shows of it compare.
func plainWords(s string) string {
	s = html.UnescapeString(htmlTag.ReplaceAllString(s, " "))
	return strings.Join(strings.Fields(typography.Replace(s)), " ")
}
