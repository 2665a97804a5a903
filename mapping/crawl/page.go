package crawl

import (
	"errors"
	"hash/fnv"
	"html"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Page is the response to a list call.
type Page struct {
	Items  []Listed
	Total  int // items of the whole list, as the response has it
	Pages  int // pages of the whole list, likewise
	list   string
	name   string           // the member that has the name of an item
	others []jsontext.Value // name, value, ...: members that do not depend on the number of items
}

// Listed is an item of a list.
type Listed struct {
	ID, Slug string // "" for none
	Name     string // as people read it
	Place    uint64 // hash of the members that its place in the list depends on; 0 for none
	json     jsontext.Value
}

// ReadPage reads a successful response to the list call c.
func ReadPage(c *mapping.Call, body []byte) (Page, error) {
	p := Bare(c)
	err := jsonscan.EachMember(body, func(name string, v jsontext.Value) error {
		a, _ := c.Endpoint.Result.Find([]byte(name), 0)
		switch {
		case a.Name == mapping.TotalName:
			p.Total = mapping.ParseCount(jsonscan.Text(v))
		case a.Name == mapping.TotalPagesName:
			p.Pages = mapping.ParseCount(jsonscan.Text(v))
		case a.Name == p.list:
			return p.readItems(a.Shape, v)
		case a.Class != mapping.NextPage:
			p.others = append(p.others, jsontext.Value(jsonscan.Quote(name)), v.Clone())
		}
		return nil
	})
	return p, err
}

var errNoList = errors.New("the items are not a list")

func (p *Page) readItems(shape *mapping.Shape, list jsontext.Value) error {
	if list.Kind() != '[' {
		return errNoList
	}
	d := jsonscan.NewDecoder(list)
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		item := Listed{json: v.Clone()}
		if err := jsonscan.EachMember(item.json, func(name string, v jsontext.Value) error {
			switch name {
			case mapping.IDParam.Name:
				item.ID = jsonscan.Text(v)
			case mapping.SlugParam.Name:
				item.Slug = jsonscan.Text(v)
			case p.name:
				item.Name = html.UnescapeString(jsonscan.Text(v))
			}
			if a, _ := shape.Find([]byte(name), 0); a.Orders() {
				item.Place ^= placeOf(name, jsonscan.Text(v)) // sites have their members in different orders
			}
			return nil
		}); err != nil {
			return err
		}
		if item.ID != "" {
			p.Items = append(p.Items, item)
		}
	}
	return nil
}

// placeOf returns a hash of a member.
func placeOf(name, text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name + " " + text)) // a hash never fails
	return h.Sum64()
}

// With returns the JSON of the page with other items, and without the members that depend on
// their number: counts, and the link to the next page.
func (p Page) With(items []Listed) []byte {
	out := []byte("{")
	for pair := range slices.Chunk(p.others, 2) {
		out = append(append(append(append(out, pair[0]...), ':'), pair[1]...), ',')
	}
	return append(append(p.appendItems(out, items), ']'), '}')
}

func (p Page) appendItems(out []byte, items []Listed) []byte {
	size := len(p.list) + 8 // of all that follows
	for _, item := range items {
		size += len(item.json) + 1
	}
	out = append(append(slices.Grow(out, size), jsonscan.Quote(p.list)...), ":["...)
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item.json...)
	}
	return out
}

// Bare returns an empty page of the list c, without other members.
func Bare(c *mapping.Call) Page {
	fields := mapping.FieldsOf(c.Endpoint.Resource)
	name := slices.IndexFunc(fields, func(p mapping.Param) bool { return p.Kind == mapping.Text && p.Required })
	return Page{list: c.Endpoint.Resource, name: fields[name].Name}
}

// Document returns the JSON of a page of the list c with no more than the ids of its items, in
// their order, and the total; a negative total is left out.
func Document(c *mapping.Call, ids []string, total int) []byte {
	items := make([]Listed, len(ids))
	for i, text := range ids {
		items[i].json = jsontext.Value(`{"` + mapping.IDParam.Name + `":` + jsonscan.Quote(text) + `}`)
	}
	out := Bare(c).appendItems([]byte("{"), items)
	out = append(out, ']')
	if total >= 0 {
		out = append(append(out, `,"`+mapping.TotalName+`":`...), strconv.Itoa(total)...)
	}
	return append(out, '}')
}
