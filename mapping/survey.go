package mapping

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Lists are the first calls of a survey: of each list of the table the first page,
// as long as pages get, with all that anybody sees, in an order that stays.
func Lists() []*Call {
	var calls []*Call
	for i := range Table {
		e := &Table[i]
		if e.Action != List {
			continue
		}
		query := url.Values{}
		for j := range e.Params {
			if value := e.Params[j].widest(); value != "" {
				query.Set(e.Params[j].Name, value)
			}
		}
		c, err := get(e, "", query)
		if err != nil {
			panic("BUG: the table does not take what it says is widest: " + err.Error())
		}
		calls = append(calls, c)
	}
	return calls
}

// widest is the value with which p holds the least back; "" for none.
func (p *Param) widest() string {
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

// get makes a call as if a client had.
func get(e *Endpoint, item string, query url.Values) (*Call, error) {
	decoded, err := DecodeQuery(query.Encode())
	if err != nil {
		return nil, err
	}
	return Parse(e, http.MethodGet, Input{Item: item, Query: decoded}, Reject)
}

// Plain is the list call of who asks for nothing special.
func (c *Call) Plain() *Call {
	made, err := get(c.Endpoint, "", nil)
	if err != nil {
		panic("BUG: the table does not take its own defaults: " + err.Error())
	}
	return made
}

// OnPage is the list call for another page.
func (c *Call) OnPage(n int) *Call {
	query := url.Values{page.Name: {strconv.Itoa(n)}}
	for _, a := range c.Query {
		if a.Param.Name != page.Name {
			query.Set(a.Param.Name, a.Text)
		}
	}
	made, err := get(c.Endpoint, "", query)
	if err != nil {
		panic("BUG: a canonical call is no call: " + err.Error())
	}
	return made
}

// Reads are the calls that read the item with this id and slug, "" for none: all
// that the table has for the resource, in its order. A name that no client could
// send gives no call.
func Reads(resource, itemID, itemSlug string) []*Call {
	var calls []*Call
	for i := range Table {
		e := &Table[i]
		if e.Resource != resource || e.Action != Read {
			continue
		}
		name := itemID
		if e.BySlug() {
			name = itemSlug
		}
		if name == "" {
			continue
		}
		if c, err := get(e, name, nil); err == nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// Page is what the answer to a list call shows.
type Page struct {
	Items  []Listed
	Total  int // of the whole list, as it tells
	Pages  int // likewise
	list   string
	others []jsontext.Value // name, value, ...: what does not follow from how many items there are
}

// Listed is an item as a list shows it.
type Listed struct {
	ID, Slug string // "" for none
	json     jsontext.Value
}

// ReadPage reads a good answer to the list call c.
func (c *Call) ReadPage(body []byte) (Page, error) {
	p := c.Bare()
	err := jsonscan.EachMember(body, func(name string, v jsontext.Value) error {
		a, _ := c.Endpoint.Result.Find([]byte(name), 0)
		switch {
		case a.Name == TotalName:
			p.Total = ParseCount(jsonscan.Text(v))
		case a.Name == TotalPagesName:
			p.Pages = ParseCount(jsonscan.Text(v))
		case a.Name == p.list:
			return p.readItems(v)
		case a.Class != NextPage:
			p.others = append(p.others, jsontext.Value(jsonscan.Quote(name)), v.Clone())
		}
		return nil
	})
	return p, err
}

var errNoList = errors.New("the items are not a list")

func (p *Page) readItems(list jsontext.Value) error {
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
			case IDParam.Name:
				item.ID = jsonscan.Text(v)
			case SlugParam.Name:
				item.Slug = jsonscan.Text(v)
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

// With is the document of the page with other items, and without what follows from
// how many there are: counts, and whether there is a next page.
func (p Page) With(items []Listed) []byte {
	out := []byte("{")
	for pair := range slices.Chunk(p.others, 2) {
		out = append(append(append(append(out, pair[0]...), ':'), pair[1]...), ',')
	}
	return append(append(p.appendItems(out, items), ']'), '}')
}

func (p Page) appendItems(out []byte, items []Listed) []byte {
	out = append(append(out, jsonscan.Quote(p.list)...), ":["...)
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item.json...)
	}
	return out
}

// Bare is a page of the list c that has nothing but items.
func (c *Call) Bare() Page { return Page{list: c.Endpoint.Resource} }

// Row is a document of the list c that says of its items only which there are, in
// their order, and how many they are said to be; a total below 0 is not said.
func (c *Call) Row(ids []string, total int) []byte {
	items := make([]Listed, len(ids))
	for i, text := range ids {
		items[i].json = jsontext.Value(`{"` + IDParam.Name + `":` + jsonscan.Quote(text) + `}`)
	}
	out := c.Bare().appendItems([]byte("{"), items)
	out = append(out, ']')
	if total >= 0 {
		out = append(append(out, `,"`+TotalName+`":`...), strconv.Itoa(total)...)
	}
	return append(out, '}')
}
