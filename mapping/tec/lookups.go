package tec

import (
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Lookup returns the next read that c needs before it can be sent; nil if there is none: of ids
// and slugs; of the item that a write changes, since an update must repeat some fields, and the
// response to a deletion is empty; or of an item that a write links.
func (translator) Lookup(c *mapping.Call) *mapping.Call {
	switch {
	case c.Endpoint.BySlug():
		return scanOf(c)
	case c.Endpoint.Action == mapping.List:
		return termLookup(c)
	}
	changes := c.Endpoint.Action == mapping.Update || c.Endpoint.Action == mapping.Delete
	if changes && c.Found == nil && termPaths[c.Endpoint.Resource] == "" {
		return c.ReadItem()
	}
	if links := unseen(c); len(links) > 0 {
		return readOf(c, links)
	}
	return nil
}

// Complete returns the call with what Lookup found.
func (translator) Complete(b mapping.Backend, c *mapping.Call, found []byte) (*mapping.Call, error) {
	switch {
	case c.Endpoint.BySlug():
		return byID(b, c, found)
	case c.Endpoint.Action == mapping.List:
		return withTerms(b, c, found)
	case c.Endpoint.Action == mapping.Create || c.Found != nil:
		return withLinks(b, c, found)
	}
	item, err := jsonscan.Members(found)
	if _, ok := mapping.ItemID(found); !ok || err != nil {
		return nil, mapping.ErrIncomplete
	}
	done := *c
	done.Found = found
	if c.Endpoint.Action == mapping.Update {
		if names := ignored(c, item); len(names) > 0 {
			return nil, names
		}
		done.Fields = completed(c, item)
	}
	return &done, nil
}
