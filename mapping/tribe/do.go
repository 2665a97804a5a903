package tribe

import (
	"context"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
)

// Dialect is the dialect of the legacy.
var Dialect = &mapping.Dialect{
	Namespace:     "tribe/events/v1",
	LanguageParam: "wpml_language",
	Total:         "X-Tec-Total",
	TotalPages:    "X-Tec-Totalpages",
	Vendor:        "tribe_",
	WordPress:     true,
	Client: func(b mapping.API, env mapping.Environment) mapping.Client {
		return &client{backend: backend{b}, env: env}
	},
}

// Do implements [mapping.Client].
func (t *client) Do(ctx context.Context, c *mapping.Call) (mapping.Reply, error) {
	switch {
	case c.Endpoint.Writes():
		return mapping.Result(t.write(ctx, c))
	case severalOf(c) != nil:
		return mapping.Result(t.union(ctx, c))
	}
	return t.sendRead(ctx, c)
}

// write makes a write. The order is the order of the table's faults: of the item, of the terms, of the dates.
func (t *client) write(ctx context.Context, c *mapping.Call) (mapping.Reply, error) {
	call := c
	if t.needsItem(c) {
		item, err := t.readFirst(ctx, c, c.ReadItem())
		if err != nil {
			return mapping.Reply{}, err
		}
		if call, err = t.withItem(c, item); err != nil {
			return mapping.Reply{}, err
		}
	}
	call, err := t.withTerms(ctx, call)
	if err != nil {
		return mapping.Reply{}, err
	}
	if call, err = t.inLocalTime(ctx, call); err != nil {
		return mapping.Reply{}, err
	}
	reply, err := t.env.Send(ctx, call, t.request(call))
	if err == nil && reply.Status < http.StatusBadRequest {
		reply.Drift = Drift(t.API, c, call, reply.Body)
	}
	return reply, err
}

// Preview implements [mapping.Client].
func (t *client) Preview(c *mapping.Call) (lookup, request mapping.Request) {
	first := t.firstRead(c)
	if first != nil {
		lookup = t.request(first)
	}
	p := severalOf(c)
	if p != nil {
		c = partsOf(c, p)[0]
	}
	return lookup, t.request(c)
}

// firstRead returns the first read that a write depends on; nil without such a read.
func (t *client) firstRead(c *mapping.Call) *mapping.Call {
	switch {
	case !c.Endpoint.Writes():
		return nil
	case t.needsItem(c):
		return c.ReadItem()
	}
	for _, a := range c.Fields {
		if a.Param.Kind != mapping.Terms {
			continue
		}
		ids := t.newIDs(c, &a)
		if ids != nil {
			return mapping.TermsByID(a.Param.Of, ids, c.Language)
		}
		list := firstSearch(c, &a)
		if list != nil {
			return list
		}
	}
	return nil
}
