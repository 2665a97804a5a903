package mapping

import (
	"html"
	"net/http"
	"slices"
	"strconv"
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

// nextLookup returns the call that looks the next terms of a field up; nil if all are known. These are ids
// that may not exist or, with its name and its index in the list, a term that is named. One that no slug
// can be made of is skipped.
func (b Backend) nextLookup(c *Call) (read *Call, field int, name string, index int) {
	for i, a := range c.Fields {
		if a.Param.Kind != Terms || a.Checked {
			continue
		}
		has := strings.Split(b.preservedIDs(a.Param, jsonscan.Get(c.Found, a.Param.Name)).text, ",")
		var ids []string
		for _, v := range jsonscan.AsList(jsontext.Value(a.JSON)) {
			if v.Kind() == '0' && !slices.Contains(has, v.String()) {
				ids = append(ids, v.String())
			}
		}
		if ids != nil {
			return TermsByID(a.Param.Of, ids, c.Language), i, "", 0
		}
	}
	for i := range c.Fields {
		a := &c.Fields[i]
		if !a.Param.LookedUp {
			continue
		}
		items := jsonscan.AsList(jsontext.Value(a.JSON))
		for at := a.Done; at < len(items); at++ {
			name := jsonscan.Text(items[at])
			if slug := SafeSlug(name); items[at].Kind() == '"' && slug != "" {
				return TermsBySlug(a.Param.Of, slug, c.Language), i, name, at
			}
		}
	}
	return nil, 0, "", 0
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

// withTerm returns the call after what nextLookup found: ids that exist, or the id of a term.
func (b Backend) withTerm(c *Call, list []byte) (*Call, error) {
	read, field, name, index := b.nextLookup(c)
	if read == nil {
		return c, nil
	}
	done := *c
	done.Fields = slices.Clone(c.Fields)
	a := &done.Fields[field]
	a.Checked = true
	if name == "" {
		return &done, nil
	}
	a.Done = index + 1
	terms, err := jsonscan.Elements(jsonscan.Get(list, a.Param.Of))
	if err != nil {
		return nil, ErrIncomplete
	}
	for _, term := range terms {
		if id, ok := ItemID(term); ok && b.names(a.Param, jsontext.Value(jsonscan.Quote(name)), term) {
			items := jsonscan.AsList(jsontext.Value(a.JSON))
			items[index] = jsontext.Value(b.IDs.Legacy(a.Param.Of, id))
			a.JSON = jsonscan.List(items)
			break
		}
	}
	return &done, nil
}

// TermsByID is the list of the terms with the ids.
func TermsByID(resource string, ids []string, language string) *Call {
	e := RowOf(resource, List, false)
	return &Call{Endpoint: e, Method: http.MethodGet, Language: language, Query: []Arg{{Param: e.param(included), Text: sorted(ids)}}}
}

// TermsBySlug is the list of the terms with one of the slugs, with commas between.
func TermsBySlug(resource, slugs, language string) *Call {
	e := RowOf(resource, List, false)
	c := &Call{Endpoint: e, Method: http.MethodGet, Language: language}
	for _, p := range e.Params {
		text := ""
		switch {
		case p.Name == SlugParam.Name:
			text = slugs
		case p.Kind != Text: // their order means nothing here
			text = p.WidestValue()
		}
		if text != "" {
			c.Query = append(c.Query, Arg{Param: e.param(p.Name), Text: text})
		}
	}
	slices.SortFunc(c.Query, func(x, y Arg) int { return strings.Compare(x.Param.Name, y.Param.Name) })
	return c
}

// WidestValue returns the value with which a filter excludes the least; "" for none.
func (p *Param) WidestValue() string {
	switch {
	case p.Widest != "":
		return p.Widest
	case p.Lifted != "":
		return p.Lifted
	case p.Cap > 0:
		return strconv.Itoa(p.Cap)
	}
	return ""
}

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
