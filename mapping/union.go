package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
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

// unionItem is an item with what lists are sorted by.
type unionItem struct {
	body  jsontext.Value
	id    int
	start string // with a word behind it for a time, which sorts days before times
}

// Parts returns the calls for the parts of a list whose filter the backend would apply in part, for the
// first page of each; nil for any other call.
func (b Backend) Parts(c *Call) (parts []*Call) {
	p := c.severalOf()
	if !b.Dialect.Holes || c.OldNames || p == nil {
		return nil
	}
	for text := range strings.SplitSeq(c.Value(p.Name), ",") {
		parts = append(parts, c.With(p.Name, text).OnPage(1).With(PerPageParam.Name, strconv.Itoa(PerPageParam.Cap)))
	}
	return parts
}

// severalOf returns the parameter that has several values although the legacy applies only the first; nil for none.
func (c *Call) severalOf() *Param {
	for _, a := range c.Query {
		if a.Param.FirstAlone && strings.Contains(a.Text, ",") {
			return a.Param
		}
	}
	return nil
}

// Unite returns the page of a list from all pages of its parts, which read reads one after the other, or the
// first response of a part that is an error. The error is one of read, [Faults] if there are too many pages, and
// another one for a part that is no list.
func (b Backend) Unite(c *Call, parts []*Call, read func(*Call) (Reply, error)) (Reply, error) {
	p := c.severalOf()
	var items []unionItem
	var header http.Header
	for i := 0; i < len(parts); i++ { // parts grows by the pages after the first
		if len(parts) > maxUnion {
			return Reply{}, Faults{*p.Fault(CodeTooMany, "too_many_together", "Max", strconv.Itoa(maxUnion*PerPageParam.Cap))}
		}
		part := parts[i]
		got, err := read(part)
		switch {
		case err != nil, got.Status != http.StatusOK && part.Page() == 1:
			return got, err
		case got.Status != http.StatusOK:
			return Reply{}, fmt.Errorf("upstream status %d for a part of a list", got.Status)
		case header == nil:
			header = got.Header.Clone()
		}
		restrict(header, got.Header)
		if items, err = appendUnion(items, c.Endpoint, got.Body); err != nil {
			return Reply{}, err
		}
		last := min(maxUnion+1, ParseCount(jsonscan.Text(jsonscan.Get(got.Body, TotalPagesName))))
		for page := 2; part.Page() == 1 && page <= last; page++ {
			parts = append(parts, part.OnPage(page))
		}
	}
	n, size, total := c.Page(), c.PerPage(), len(items)
	if n > 1 && n > c.Pages(total) {
		return read(c.With(p.Name, parts[0].Value(p.Name))) // the error for a page past the end
	}
	// The order of the legacy's lists: by start, days before times, and by id; by id alone with include
	// (recordings equal-dates-*).
	slices.SortFunc(items, func(x, y unionItem) int {
		if c.Value(IncludeName) != "" {
			return cmp.Compare(x.id, y.id)
		}
		return cmp.Or(strings.Compare(x.start, y.start), cmp.Compare(x.id, y.id))
	})
	var page []jsontext.Value
	for _, item := range items[min(total, (n-1)*size):min(total, n*size)] {
		page = append(page, item.body)
	}
	return c.PageOf(b, page, total, c.Pages(total), header), nil
}

// restrict adds what forbids to share or store a response.
func restrict(h, more http.Header) {
	for _, name := range []string{"Cache-Control", "Set-Cookie", "Vary", "Pragma"} {
		for _, value := range more[name] {
			if !slices.Contains(h[name], value) {
				h[name] = append(h[name], value)
			}
		}
	}
}

// appendUnion adds the items of a list of e that are not in items.
func appendUnion(items []unionItem, e *Endpoint, list []byte) ([]unionItem, error) {
	more, err := jsonscan.Elements(jsonscan.Get(list, e.Resource))
	if err != nil {
		return nil, fmt.Errorf("a part of a union: %w", err)
	}
	shape := e.Result.Attributes[0].Shape.Attributes
	sorter := shape[slices.IndexFunc(shape, func(a Attribute) bool { return a.Orders() })].Name
	for _, item := range more {
		text, ok := ItemID(item)
		id, invalid := strconv.Atoi(text)
		if !ok || invalid != nil {
			return nil, errors.New("a part of a union has an item without an id")
		}
		start := jsonscan.Text(jsonscan.Get(item, sorter))
		if ShownFlag(jsonscan.Get(item, AllDayParam.Name)) != "true" {
			start += " timed"
		}
		if !slices.ContainsFunc(items, func(have unionItem) bool { return have.id == id }) {
			items = append(items, unionItem{item, id, start})
		}
	}
	return items, nil
}
