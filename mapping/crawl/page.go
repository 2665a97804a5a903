package crawl

import (
	"bytes"
	"errors"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Page is the response to a list call.
type Page struct {
	Items []Listed
	Total int // items of the whole list, as the response has it
	Pages int // pages of the whole list, likewise
}

// Listed is an item of a list.
type Listed struct {
	ID, Slug string // "" for none
	Name     string // as people read it
	JSON     jsontext.Value
	Place    jsontext.Value // the id, and the members that the place of the item in the list depends on
}

// ReadPage reads a successful response to the list call c.
func ReadPage(c *mapping.Call, body []byte) (p Page, err error) {
	err = jsonscan.EachMember(body, func(name string, v jsontext.Value) (err error) {
		a, _ := c.Endpoint.Result.Find([]byte(name), 0)
		switch a.Name {
		case mapping.TotalName:
			p.Total = mapping.ParseCount(jsonscan.Text(v))
		case mapping.TotalPagesName:
			p.Pages = mapping.ParseCount(jsonscan.Text(v))
		case c.Endpoint.Resource:
			p.Items, err = readItems(c.Endpoint.Resource, a.Shape, v)
		}
		return err
	})
	return p, err
}

var errNoList = errors.New("the items are not a list")

// readItems returns the items of a list that have an id.
func readItems(resource string, shape *mapping.Shape, list jsontext.Value) (all []Listed, err error) {
	if list.Kind() != '[' {
		return nil, errNoList
	}
	elements, err := jsonscan.Elements(list)
	for _, v := range elements {
		item, err := readItem(resource, shape, v)
		if err != nil {
			return nil, err
		}
		if item.ID != "" {
			all = append(all, item)
		}
	}
	return all, err
}

func readItem(resource string, shape *mapping.Shape, v jsontext.Value) (Listed, error) {
	item, nameOf := Listed{JSON: v}, nameMember(resource)
	var place []string
	err := jsonscan.EachMember(v, func(name string, v jsontext.Value) error {
		switch name {
		case mapping.IDParam.Name:
			item.ID = jsonscan.Text(v)
			place = append(place, jsonscan.Quote(name)+":"+jsonscan.Quote(item.ID))
		case mapping.SlugParam.Name:
			item.Slug = jsonscan.Text(v)
		case nameOf:
			item.Name = html.UnescapeString(jsonscan.Text(v))
		}
		if a, _ := shape.Find([]byte(name), 0); a.Orders() {
			place = append(place, jsonscan.Quote(name)+":"+string(v))
		}
		return nil
	})
	item.Place = jsontext.Value("{" + strings.Join(place, ",") + "}")
	return item, err
}

// nameMember returns the member of an item that has its name.
func nameMember(resource string) string {
	fields := mapping.FieldsOf(resource)
	return fields[slices.IndexFunc(fields, func(p mapping.Param) bool { return p.Kind == mapping.Text && p.Required })].Name
}

// Document returns the JSON of a list of items, and the total; a negative total is left out.
func Document(c *mapping.Call, items [][]byte, total int) []byte {
	out := jsonscan.Quote(c.Endpoint.Resource) + ":[" + string(bytes.Join(items, []byte(","))) + "]"
	if total >= 0 {
		out += "," + jsonscan.Quote(mapping.TotalName) + ":" + strconv.Itoa(total)
	}
	return []byte("{" + out + "}")
}
