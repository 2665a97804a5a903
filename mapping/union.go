package mapping

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The legacy lists the events of the first of several tags alone (recordings
// list-several-tags-*). So the list of each tag is read, and a page is made of their union.

// maxUnion is the maximum number of calls for a union: each reads the largest page.
const maxUnion = 10

// Union is a list that is read in parts.
type Union struct {
	call  *Call
	param *Param
	todo  []*Call // the next calls
	calls int
	seen  map[string]bool
	items []unionItem
}

// unionItem is an item with what lists are sorted by.
type unionItem struct {
	body  jsontext.Value
	id    int
	start string // with a word behind it for a time, which sorts days before times
}

// Union returns the parts of a list whose filter the backend would apply in part; nil for any
// other call.
func (b Backend) Union(c *Call) *Union {
	if !b.Dialect.Holes || c.OldNames {
		return nil
	}
	for _, a := range c.Query {
		if a.Param.FirstAlone && strings.Contains(a.Text, ",") {
			u := &Union{call: c, param: a.Param, seen: map[string]bool{}}
			for text := range strings.SplitSeq(a.Text, ",") {
				u.todo = append(u.todo, u.part(text, 1))
			}
			return u
		}
	}
	return nil
}

// part is the call for a page of the list of one value.
func (u *Union) part(text string, page int) *Call {
	return u.call.with(u.param.Name, text).with(PageParam.Name, strconv.Itoa(page)).with(perPage.Name, strconv.Itoa(perPage.Cap))
}

// Next returns the next call; nil if all were made. The error is [Faults] if there are too many.
func (u *Union) Next() (*Call, error) {
	if u.calls+len(u.todo) > maxUnion {
		return nil, Faults{*u.param.fault(codeTooMany, "too_many_together", "Max", strconv.Itoa(maxUnion*perPage.Cap))}
	}
	if len(u.todo) == 0 {
		return nil, nil
	}
	next := u.todo[0]
	u.todo = u.todo[1:]
	u.calls++
	return next, nil
}

// Add adds the response to a call of Next.
func (u *Union) Add(c *Call, body []byte) error {
	items, err := jsonscan.Elements(jsonscan.Get(body, u.call.Endpoint.Resource))
	if err != nil {
		return fmt.Errorf("a part of a union: %w", err)
	}
	shape := u.call.Endpoint.Result.Attributes[0].Shape.Attributes
	sorter := shape[slices.IndexFunc(shape, func(a Attribute) bool { return a.Orders() })].Name
	for _, item := range items {
		text, ok := ItemID(item)
		id, invalid := strconv.Atoi(text)
		if !ok || invalid != nil {
			return errors.New("a part of a union has an item without an id")
		}
		if !u.seen[text] {
			u.seen[text] = true
			start := jsonscan.Text(jsonscan.Get(item, sorter))
			if ShownFlag(jsonscan.Get(item, allDay.Name)) != "true" {
				start += " timed"
			}
			u.items = append(u.items, unionItem{item, id, start})
		}
	}
	if c.Page() > 1 {
		return nil
	}
	for page := 2; page <= min(maxUnion+1, ParseCount(jsonscan.Text(jsonscan.Get(body, TotalPagesName)))); page++ {
		u.todo = append(u.todo, u.part(c.Value(u.param.Name), page))
	}
	return nil
}

// Past returns the call that the legacy answers with the error for a page past the end; nil if
// the union has the page.
func (u *Union) Past() *Call {
	n := u.call.Page()
	if n == 1 || n <= u.pages() {
		return nil
	}
	first, _, _ := strings.Cut(u.call.Value(u.param.Name), ",")
	return u.call.with(u.param.Name, first)
}

func (u *Union) pages() int { return u.call.Pages(len(u.items)) }

// Reply returns the page, with the header fields of first, the response to the first call. It has the order
// of the legacy's lists: by start, days before times, and by id; by id alone with include (recordings
// equal-dates-*).
func (u *Union) Reply(b Backend, first Reply) Reply {
	byID := u.call.Value(included) != ""
	slices.SortFunc(u.items, func(x, y unionItem) int {
		if start := strings.Compare(x.start, y.start); start != 0 && !byID {
			return start
		}
		return x.id - y.id
	})
	n, size, total := u.call.Page(), u.call.PerPage(), len(u.items)
	var page []jsontext.Value
	for _, item := range u.items[min(total, (n-1)*size):min(total, n*size)] {
		page = append(page, item.body)
	}
	return u.call.PageOf(b, page, total, u.pages(), first.Header)
}
