package mapping

import (
	"cmp"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// WidestLists returns the first calls of a crawl: the first page of each list of the table, as long
// as pages can be, with the filters that exclude the least, in a stable order.
func WidestLists() []*Call {
	var calls []*Call
	for _, e := range Table {
		if e.Action != List {
			continue
		}
		calls = append(calls, listWith(e, func(p *Param) string { return cmp.Or(p.widest(), p.Default) }))
	}
	return calls
}

// listWith returns the call for a list with the parameters for which value returns a text.
func listWith(e *Endpoint, value func(*Param) string) *Call {
	c := NewRead(e, "")
	for _, p := range e.Params {
		if value(p) != "" {
			c.Query = append(c.Query, Arg{Param: p, Text: value(p)})
		}
	}
	slices.SortFunc(c.Query, func(x, y Arg) int { return strings.Compare(x.Param.Name, y.Param.Name) })
	return c
}

// PlainList returns the call for the same list without parameters.
func PlainList(c *Call) *Call {
	return listWith(c.Endpoint, func(p *Param) string { return p.Default })
}

// decoded returns a slug that an item shows as clients send it: WordPress percent-encodes letters outside
// ASCII, and finds nothing if a path encodes the slug once more.
func decoded(slug string) string {
	if s, err := url.PathUnescape(slug); err == nil && utf8.ValidString(s) && !strings.Contains(s, "/") {
		return s
	}
	return slug
}

// ItemReads returns the calls that read an item by id and by slug, in the order of the table. An empty slug has
// no call. There is no call for a slug that is invalid in a request.
func ItemReads(resource, itemID, itemSlug string) []*Call {
	var calls []*Call
	for _, e := range Table {
		if e.Resource != resource || e.Action != Read {
			continue
		}
		name := itemID
		if e.BySlug {
			name = decoded(itemSlug)
		}
		if name == "" {
			continue
		}
		if item, fault := e.Params[0].item(name); fault == nil {
			calls = append(calls, &Call{Endpoint: e, Method: http.MethodGet, Item: item})
		}
	}
	return calls
}

// ListPage is the response to a list call.
type ListPage struct {
	Items []Listed
	Total int // items of the whole list, from the response
	Pages int // pages of the whole list, likewise
}

// Listed is an item of a list.
type Listed struct {
	ID, Slug string // "" without an id or a slug
	Name     string // as people read it
	JSON     jsontext.Value
	Place    jsontext.Value // the id, and the members that the place of the item in the list depends on
}

// ParseList reads a successful response to the list call c. Items without an id are left out.
func ParseList(c *Call, body []byte) (p ListPage, err error) {
	members, err := jsonscan.Members(body)
	if err != nil {
		return p, err
	}
	resource := c.Endpoint.Resource
	if members[resource].Kind() != '[' {
		return p, errors.New("the items are not a list")
	}
	elements, err := jsonscan.Elements(members[resource])
	if err != nil {
		return p, err
	}
	attribute, _ := c.Endpoint.Result.Find([]byte(resource), 0)
	p.Total = ParseCount(jsonscan.Text(members[TotalName]))
	p.Pages = ParseCount(jsonscan.Text(members[TotalPagesName]))
	for _, v := range elements {
		members, err := jsonscan.Members(v)
		if err != nil {
			return ListPage{}, err
		}
		id := jsonscan.Text(members[IDParam.Name])
		if id != "" {
			p.Items = append(p.Items, Listed{
				ID: id, Slug: jsonscan.Text(members[SlugParam.Name]), JSON: v, Place: placeOf(id, attribute.Shape, members),
				Name: html.UnescapeString(jsonscan.Text(members[NameField(resource)])),
			})
		}
	}
	return p, nil
}

// placeOf returns the members of an item that its place depends on.
func placeOf(id string, shape *Shape, members map[string]jsontext.Value) jsontext.Value {
	place := []string{jsonscan.Quote(IDParam.Name) + ":" + jsonscan.Quote(id)}
	for i := range shape.Attributes {
		name := shape.Attributes[i].Name
		if shape.Attributes[i].Orders() && members[name] != nil {
			place = append(place, jsonscan.Quote(name)+":"+string(members[name]))
		}
	}
	return jsontext.Value("{" + strings.Join(place, ",") + "}")
}

// ListDocument returns the JSON of a list of items, and the total; a negative total is left out.
func ListDocument(c *Call, items [][]byte, total int) []byte {
	out := jsonscan.Quote(c.Endpoint.Resource) + ":" + jsonscan.List(items)
	if total >= 0 {
		out += "," + jsonscan.Quote(TotalName) + ":" + strconv.Itoa(total)
	}
	return []byte("{" + out + "}")
}

// Page returns the URL of the item's page on the site, as the backend spells it; "" without a URL.
func (l Listed) Page() string { return jsonscan.Text(jsonscan.Get(l.JSON, PageURLName)) }

// Words returns the letters and digits of an item's name and long texts. Other characters,
// such as quotes, depend on the locale of the backend, and so do short texts, such as the
// price of a free event.
func Words(c *Call, l Listed) string {
	var words strings.Builder
	for _, p := range FieldsOf(c.Endpoint.Resource) {
		value := jsonscan.Get(l.JSON, p.Name)
		if value != nil && p.Kind == Text && (p.Required || p.MaxLen == Unlimited) {
			words.WriteString(noWords.ReplaceAllString(html.UnescapeString(jsonscan.Text(value)), "") + "\n")
		}
	}
	return words.String()
}

// noWords matches characters that are neither letters nor digits.
var noWords = regexp.MustCompile(`[^\pL\p{Nd}]+`)

// IncludeName is the filter of lists that names the ids of the items. The legacy refuses a list if no id exists.
const IncludeName = "include"

// SearchName is the filter of lists by a part of the name.
const SearchName = "search"

// TermsByID is the list of the terms with the ids.
func TermsByID(resource string, ids []string, language string) *Call {
	e := RowOf(resource, List, false)
	return NewRead(e, language, Arg{Param: e.param(IncludeName), Text: sorted(ids)})
}

// TermList is the list of all terms that pass one filter.
func TermList(resource, filter, text, language string) *Call {
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

// Namesakes is the list of the items with a part of the name that a create gives; nil for a create without a name.
func (c *Call) Namesakes() *Call {
	name := c.Field(NameField(c.Endpoint.Resource))
	if name == nil {
		return nil
	}
	return TermList(c.Endpoint.Resource, SearchName, name.Text, c.Language)
}

// MadeSince returns the ids of the items of a list of [Call.Namesakes] that have the very name, and that were made or
// changed since a time. Items without a date of modification, such as categories, count as made since.
func (c *Call) MadeSince(list *Call, body []byte, since time.Time) []string {
	page, err := ParseList(list, body)
	if err != nil {
		return nil
	}
	name := strings.TrimSpace(html.UnescapeString(c.Field(NameField(c.Endpoint.Resource)).Text))
	var ids []string
	for _, item := range page.Items {
		modified := Modified(item.JSON)
		if strings.TrimSpace(item.Name) == name && (modified.IsZero() || !modified.Before(since)) {
			ids = append(ids, item.ID)
		}
	}
	return ids
}

// widest returns the value with which a filter excludes the least; "" leaves the filter out.
func (p *Param) widest() string { return cmp.Or(p.Widest, p.Lifted) }
