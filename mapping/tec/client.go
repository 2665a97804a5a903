package tec

import (
	"context"
	"fmt"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// client makes one call; see [mapping.Client].
type client struct {
	mapping.Backend
	line mapping.Line
}

// Do implements [mapping.Client].
func (t *client) Do(ctx context.Context, c *mapping.Call) (mapping.Reply, error) {
	return mapping.Result(t.do(ctx, c))
}

// do makes a call, with the reads before it: the ids and slugs of items; the item that a write changes, since an
// update must repeat some fields, and the response to a deletion is empty; and the items that a write links.
func (t *client) do(ctx context.Context, c *mapping.Call) (mapping.Reply, error) {
	if names := unsupported(c); len(names) > 0 && !c.Endpoint.Writes() {
		return mapping.Reply{}, names
	}
	sent := c
	if c.Endpoint.BySlug {
		list, err := t.look(ctx, c, scanOf(c))
		if err != nil {
			return mapping.Reply{}, err
		}
		if sent, err = t.byID(c, list); err != nil {
			return mapping.Reply{}, err
		}
	}
	var err error
	switch {
	case c.Endpoint.Writes():
		sent, err = t.prepared(ctx, sent)
	case c.Endpoint.Action == mapping.List:
		sent, err = t.withTerms(ctx, sent)
	}
	if err != nil {
		return mapping.Reply{}, err
	}
	reply, err := t.line.Send(ctx, sent, t.request(sent))
	if err == nil {
		reply, err = t.converted(ctx, sent, reply)
	}
	if err == nil && reply.Status < http.StatusBadRequest {
		reply.Drift = tribe.Drift(t.Backend, c, sent, reply.Body)
	}
	return reply, err
}

// prepared returns a write by id with its item and in local time. Its links exist.
func (t *client) prepared(ctx context.Context, c *mapping.Call) (*mapping.Call, error) {
	sent := c
	if c.Item != "" && termPaths[c.Endpoint.Resource] == "" {
		item, err := t.look(ctx, c, c.ReadItem())
		if err != nil {
			return nil, err
		}
		if sent, err = t.withItem(c, item); err != nil {
			return nil, err
		}
	}
	if err := t.checkLinks(ctx, sent); err != nil {
		return nil, err
	}
	sent, err := tribe.LocalTime(ctx, sent, t.line)
	if err != nil {
		return nil, err
	}
	if names := unsupported(sent); len(names) > 0 {
		return nil, names
	}
	return sent, nil
}

// Preview implements [mapping.Client].
func (t *client) Preview(c *mapping.Call) (before, request mapping.Request) {
	if first := t.firstRead(c); first != nil {
		before = t.request(first)
	}
	return before, t.request(c)
}

// firstRead returns the first read that a call depends on; nil if it depends on none.
func (t *client) firstRead(c *mapping.Call) *mapping.Call {
	switch {
	case c.Endpoint.BySlug:
		return scanOf(c)
	case byTerms(c) != nil:
		return pageOfTerms(c, byTerms(c)[0], 1)
	case c.Endpoint.Writes() && c.Item != "" && termPaths[c.Endpoint.Resource] == "":
		return c.ReadItem()
	}
	for _, a := range linksOf(c) {
		if reads := t.linkReads(c, a); len(reads) > 0 {
			return reads[0]
		}
	}
	return nil
}

// look makes a read that c depends on, and returns its body in the shape of the table.
func (t *client) look(ctx context.Context, c, read *mapping.Call) ([]byte, error) {
	return t.line.Look(ctx, c, read, t.Do)
}

// sendBeside makes a read that the response to c depends on, in the shape of the backend. An error of the backend is
// an error, unless the request tries for it.
func (t *client) sendBeside(ctx context.Context, c *mapping.Call, request mapping.Request) (mapping.Reply, error) {
	request.Query = t.WithLanguage(request.Query, t.line.Language)
	reply, err := t.line.Send(ctx, c, request)
	if err == nil && reply.Status != http.StatusOK && !request.Tries {
		err = fmt.Errorf("upstream status %d for a read that completes the response", reply.Status)
	}
	return reply, err
}

// byID returns a call by slug as the call by id, once the scan has found the item.
func (t *client) byID(c *mapping.Call, list []byte) (*mapping.Call, error) {
	items, err := jsonscan.Elements(jsonscan.Get(list, c.Endpoint.Resource))
	if err != nil || len(items) != 1 {
		return nil, mapping.ErrIncomplete
	}
	sent, _, err := t.ByID(c, items[0])
	return sent, err
}

// withItem returns a call with the item that it changes.
func (t *client) withItem(c *mapping.Call, item []byte) (*mapping.Call, error) {
	sent, members, err := t.ByID(c, item)
	if err == nil && c.Endpoint.Action == mapping.Update {
		if names := ignored(c, members); len(names) > 0 {
			return nil, names
		}
		sent.Fields = completed(c, members)
	}
	return sent, err
}
