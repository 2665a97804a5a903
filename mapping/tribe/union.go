package tribe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The legacy lists only the events of the first of several tags (recordings list-several-tags-*). So the list
// of each tag is read, and a page is made of the union of the lists.

// maxUnion is the maximum number of calls for a union: each reads the largest page.
const maxUnion = 10

// unionItem is an item with the sort keys of lists.
type unionItem struct {
	body  jsontext.Value
	id    int
	start string // a day, or a time with a word appended, which sorts days before times
}

// partsOf returns the calls for the parts of a list that filters by several values of p, for the first page of each.
func partsOf(c *mapping.Call, p *mapping.Param) (parts []*mapping.Call) {
	for text := range strings.SplitSeq(c.Value(p.Name), ",") {
		part := c.With(p.Name, text).OnPage(1)
		parts = append(parts, part.With(mapping.PerPageParam.Name, strconv.Itoa(mapping.PerPageParam.Cap)))
	}
	return parts
}

// union returns the page of a list from all pages of the parts. The error is [mapping.Faults] if there are too many
// pages.
func (t *client) union(ctx context.Context, c *mapping.Call) (mapping.Reply, error) {
	p := severalOf(c)
	parts := partsOf(c, p)
	var items []unionItem
	header := http.Header{}
	for i := 0; i < len(parts); i++ { // parts grows by the pages after the first
		if len(parts) > maxUnion {
			limit := strconv.Itoa(maxUnion * mapping.PerPageParam.Cap)
			return mapping.Reply{}, mapping.Faults{*p.Fault(mapping.CodeTooMany, "too_many_together", "Max", limit)}
		}
		part := parts[i]
		reply, err := t.sendRead(ctx, part)
		if err == nil {
			err = t.env.Accept(ctx, part, reply) // a part that is no list would count as an empty list
		}
		switch {
		case err != nil, reply.Status != http.StatusOK && part.Page() == 1:
			return reply, err
		case reply.Status != http.StatusOK:
			return mapping.Reply{}, fmt.Errorf("upstream status %d for a part of a list", reply.Status)
		case i == 0:
			header = reply.Header.Clone()
		}
		restrict(header, reply.Header)
		if items, err = appendUnion(items, c.Endpoint, reply.Body); err != nil {
			return mapping.Reply{}, err
		}
		last := min(maxUnion+1, mapping.ParseCount(jsonscan.Text(jsonscan.Get(reply.Body, mapping.TotalPagesName))))
		for page := 2; part.Page() == 1 && page <= last; page++ {
			parts = append(parts, part.OnPage(page))
		}
	}
	n := c.Page()
	size := c.PerPage()
	total := len(items)
	if n > 1 && n > c.Pages(total) {
		return t.sendRead(ctx, c.With(p.Name, parts[0].Value(p.Name))) // the error for a page past the end
	}
	// The order of the legacy's lists: by start, days before times, and by id; by id alone with include
	// (recordings equal-dates-*).
	slices.SortFunc(items, func(x, y unionItem) int {
		if x.start != y.start && c.Value(mapping.IncludeName) == "" {
			return strings.Compare(x.start, y.start)
		}
		return cmp.Compare(x.id, y.id)
	})
	var page []jsontext.Value
	for _, item := range items[min(total, (n-1)*size):min(total, n*size)] {
		page = append(page, item.body)
	}
	return c.PageOf(t.API, page, total, c.Pages(total), header), nil
}

// restrict adds the header fields that forbid to share or store a response.
func restrict(h, part http.Header) {
	for _, name := range []string{"Cache-Control", "Set-Cookie", "Vary", "Pragma"} {
		for _, value := range part[name] {
			if !slices.Contains(h[name], value) {
				h[name] = append(h[name], value)
			}
		}
	}
}

// appendUnion adds the items of a list of e that are not in items.
func appendUnion(items []unionItem, e *mapping.Endpoint, list []byte) ([]unionItem, error) {
	elements, err := jsonscan.Elements(jsonscan.Get(list, e.Resource))
	if err != nil {
		return nil, fmt.Errorf("a part of a union: %w", err)
	}
	shape := e.Result.Attributes[0].Shape.Attributes
	sorter := shape[slices.IndexFunc(shape, func(a mapping.Attribute) bool { return a.Orders() })].Name
	for _, item := range elements {
		text, ok := mapping.ItemID(item)
		id, invalid := strconv.Atoi(text)
		if !ok || invalid != nil {
			return nil, errors.New("a part of a union has an item without an id")
		}
		start := jsonscan.Text(jsonscan.Get(item, sorter))
		if mapping.ShownFlag(jsonscan.Get(item, mapping.AllDayParam.Name)) != "true" {
			start += " timed"
		}
		if !slices.ContainsFunc(items, func(listed unionItem) bool { return listed.id == id }) {
			items = append(items, unionItem{body: item, id: id, start: start})
		}
	}
	return items, nil
}
