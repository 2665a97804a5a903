package mapping

import (
	"cmp"
	"html"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The legacy finds a tag that a write names by its slug or name, and then uses the
// tag's id for the name of another: "free" creates a tag called "34" (recordings
// create-json, create-form-arrays). So a tag that is named is looked up here, and sent by
// its id. One that there is not is sent by its name, and created.

// maxLookups is the maximum number of named terms of a write: each is a call.
const maxLookups = 20

// The legacy leaves out an id of a term that does not exist (recording
// odd-create-with-categories-number-unknown), and refuses a list that includes it. So that list
// is read first, unless the item has the terms.

// included is the filter of lists that names the ids of the items, and is refused if there is none.
const included = "include"

// withTerms returns a write with the ids of the terms that it names, and fails if an id may not exist. A
// name that no slug can be made of stays.
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
		for i, item := range items {
			slug := SafeSlug(jsonscan.Text(item))
			if !a.Param.LookedUp || item.Kind() != '"' || slug == "" {
				continue
			}
			list, err := read(termsBySlug(a.Param.Of, slug, c.Language))
			if err == nil {
				items[i], err = b.termNamed(a.Param, item, list)
			}
			if err != nil {
				return nil, err
			}
		}
		a.JSON = jsonscan.List(items)
	}
	return &done, nil
}

// termNamed returns the id of the term in a list that has a name, or the name if there is none.
func (b Backend) termNamed(p *Param, name jsontext.Value, list []byte) (jsontext.Value, error) {
	terms, err := jsonscan.Elements(jsonscan.Get(list, p.Of))
	if err != nil {
		return nil, ErrIncomplete
	}
	for _, term := range terms {
		if id, ok := ItemID(term); ok && b.names(p, name, term) {
			return jsontext.Value(b.IDs.Legacy(p.Of, id)), nil
		}
	}
	return name, nil
}

// UnknownTerms returns the faults of a write after the response to a lookup: a term that the
// write names by its id does not exist. nil is none.
func (c *Call) UnknownTerms(lookup *Call, status int) Faults {
	for i := range c.Fields {
		if p := c.Fields[i].Param; status == http.StatusBadRequest && p.Kind == Terms && p.Of == lookup.Endpoint.Resource &&
			lookup.Value(included) != "" {
			return Faults{*p.fault(CodeInvalid, "unknown_term")}
		}
	}
	return nil
}

// TermsByID is the list of the terms with the ids.
func TermsByID(resource string, ids []string, language string) *Call {
	e := RowOf(resource, List, false)
	return NewRead(e, language, Arg{e.param(included), sorted(ids)})
}

// termsBySlug is the list of the terms with a slug. Their order means nothing here.
func termsBySlug(resource, slug, language string) *Call {
	c := listWith(RowOf(resource, List, false), func(p *Param) string {
		switch {
		case p.Name == SlugParam.Name:
			return slug
		case p.Kind == Text:
			return ""
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
