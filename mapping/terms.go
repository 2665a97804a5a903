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

// nextLookup returns the call that looks the next terms up; nil if all are known.
func (b Backend) nextLookup(c *Call) *Call {
	if i, ids := b.unchecked(c); ids != nil {
		return TermsByID(c.Fields[i].Param.Of, ids, c.Language)
	}
	for i := range c.Fields {
		if a := &c.Fields[i]; a.Param.LookedUp {
			if name, _ := a.nextName(); name != "" {
				return TermsBySlug(a.Param.Of, SafeSlug(name), c.Language)
			}
		}
	}
	return nil
}

// unchecked returns the index of the first field with ids of terms that may not exist, and these;
// nil for none.
func (b Backend) unchecked(c *Call) (field int, ids []string) {
	for i := range c.Fields {
		a := &c.Fields[i]
		if a.Param.Kind != Terms || a.Checked {
			continue
		}
		has := b.preservedIDs(a.Param, jsonscan.Get(c.Found, a.Param.Name)).text
		for _, v := range jsonscan.AsList(jsontext.Value(a.JSON)) {
			if v.Kind() == '0' && !slices.Contains(strings.Split(has, ","), v.String()) {
				ids = append(ids, v.String())
			}
		}
		if ids != nil {
			return i, ids
		}
	}
	return 0, nil
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

// nextName returns the next term that is named and has not been looked up, and its
// index in the list. One that no slug can be made of is skipped.
func (a *Written) nextName() (name string, index int) {
	items := jsonscan.AsList(jsontext.Value(a.JSON))
	for i := a.Done; i < len(items); i++ {
		if items[i].Kind() == '"' && SafeSlug(jsonscan.Text(items[i])) != "" {
			return jsonscan.Text(items[i]), i
		}
	}
	return "", 0
}

// withTerm returns the call after what nextLookup found: ids that exist, or the id of a term.
func (b Backend) withTerm(c *Call, list []byte) (*Call, error) {
	done := *c
	done.Fields = slices.Clone(c.Fields)
	if i, ids := b.unchecked(c); ids != nil {
		done.Fields[i].Checked = true
		return &done, nil
	}
	for i := range done.Fields {
		a := &done.Fields[i]
		name, index := "", 0
		if a.Param.LookedUp {
			name, index = a.nextName()
		}
		if name == "" {
			continue
		}
		terms, err := jsonscan.Elements(jsonscan.Get(list, a.Param.Of))
		if err != nil {
			return nil, ErrIncomplete
		}
		a.Checked, a.Done = true, index+1
		for _, term := range terms {
			if id, ok := ItemID(term); ok && b.names(a.Param, jsontext.Value(jsonscan.Quote(name)), term) {
				items := jsonscan.AsList(jsontext.Value(a.JSON))
				items[index] = jsontext.Value(b.IDs.Legacy(a.Param.Of, id))
				a.JSON = jsonscan.List(items)
				break
			}
		}
		break
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

// param returns a parameter of the path or the query.
func (e *Endpoint) param(name string) *Param { return find(e.Params, name) }

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

// amountsIn are the numbers of a price.
func amountsIn(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }), " ")
}
