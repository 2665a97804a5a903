package mapping

import (
	"errors"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// WidestLists returns the first calls of a crawl: the first page of each list of the table, as long
// as pages can be, with the filters that exclude the least, in a stable order.
func WidestLists() []*Call {
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
		calls = append(calls, listCall(e, query))
	}
	return calls
}

// listCall makes a call for a list, with values of the table in its query.
func listCall(e *Endpoint, query url.Values) *Call {
	c, err := get(e, "", query)
	if err != nil {
		panic("BUG: the table rejects its own values: " + err.Error())
	}
	return c
}

// get makes a call as a client would.
func get(e *Endpoint, item string, query url.Values) (*Call, error) {
	decoded, err := DecodeForm(query.Encode())
	if err != nil {
		return nil, err
	}
	return Parse(e, http.MethodGet, Input{Item: item, Query: decoded}, Reject)
}

// PlainList returns the call for the same list without parameters.
func PlainList(c *Call) *Call { return listCall(c.Endpoint, nil) }

// decoded returns a slug that an item shows as clients send it: WordPress percent-encodes letters
// outside ASCII, and finds nothing if that is encoded once more in a path.
func decoded(slug string) string {
	if s, err := url.PathUnescape(slug); err == nil && utf8.ValidString(s) && !strings.Contains(s, "/") {
		return s
	}
	return slug
}

// ItemReads returns the calls that read an item by its id and by its slug, "" for none, in the
// order of the table. There is no call for a slug that is invalid in a request.
func ItemReads(resource, itemID, itemSlug string) []*Call {
	var calls []*Call
	for i := range Table {
		e := &Table[i]
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
		if c, err := get(e, name, nil); err == nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// ListPage is the response to a list call.
type ListPage struct {
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
		if id := jsonscan.Text(members[IDParam.Name]); id != "" {
			p.Items = append(p.Items, Listed{
				ID: id, Slug: jsonscan.Text(members[SlugParam.Name]), JSON: v, Place: placeOf(id, attribute.Shape, members),
				Name: html.UnescapeString(jsonscan.Text(members[nameMember(resource)])),
			})
		}
	}
	return p, nil
}

// placeOf returns the members of an item that its place depends on.
func placeOf(id string, shape *Shape, members map[string]jsontext.Value) jsontext.Value {
	place := []string{jsonscan.Quote(IDParam.Name) + ":" + jsonscan.Quote(id)}
	for i := range shape.Attributes {
		if name := shape.Attributes[i].Name; shape.Attributes[i].Orders() && members[name] != nil {
			place = append(place, jsonscan.Quote(name)+":"+string(members[name]))
		}
	}
	return jsontext.Value("{" + strings.Join(place, ",") + "}")
}

// nameMember returns the member of an item that has its name.
func nameMember(resource string) string {
	fields := FieldsOf(resource)
	return fields[slices.IndexFunc(fields, func(p Param) bool { return p.Kind == Text && p.Required })].Name
}

// ListDocument returns the JSON of a list of items, and the total; a negative total is left out.
func ListDocument(c *Call, items [][]byte, total int) []byte {
	out := jsonscan.Quote(c.Endpoint.Resource) + ":" + jsonscan.List(items)
	if total >= 0 {
		out += "," + jsonscan.Quote(TotalName) + ":" + strconv.Itoa(total)
	}
	return []byte("{" + out + "}")
}

// Page returns the URL of the item's page on the site, as the backend has it; "" for none.
func (l Listed) Page() string { return jsonscan.Text(jsonscan.Get(l.JSON, PageURLName)) }

// Words returns the letters and digits of an item's name and long texts. Other characters,
// such as quotes, depend on the locale of the backend, and so do short texts, such as the
// price of a free event.
func Words(c *Call, l Listed) string {
	var words strings.Builder
	for _, p := range FieldsOf(c.Endpoint.Resource) {
		value := jsonscan.Get(l.JSON, p.Name)
		if value != nil && p.Kind == Text && (p.Required || p.MaxLen == Unlimited) {
			words.WriteString(strings.Map(lettersAndDigits, html.UnescapeString(jsonscan.Text(value))) + "\n")
		}
	}
	return words.String()
}

func lettersAndDigits(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}
