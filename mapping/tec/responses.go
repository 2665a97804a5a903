package tec

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// converted returns a response in the shape of the table.
func (t *client) converted(ctx context.Context, c *mapping.Call, reply mapping.Reply) (mapping.Reply, error) {
	if reply.Status >= http.StatusBadRequest {
		return t.failed(ctx, c, reply)
	}
	if !jsonscan.IsValid(reply.Body) {
		return mapping.Reply{}, errShape
	}
	m := converter{client: t, related: map[mapping.Item]jsontext.Value{}}
	slug, isScan := c.Argument(&mapping.SlugParam)
	switch {
	case isScan:
		return scan(t.API, c, slug.Text, reply)
	case c.Endpoint.Action == mapping.Delete:
		return m.deleted(c, reply)
	case c.Endpoint.Action == mapping.List:
		return m.list(ctx, c, reply)
	case c.Endpoint.Resource == "events" && c.Endpoint.Action == mapping.Read && isLocked(jsonscan.Get(reply.Body, "content")):
		// The legacy does not show an event without the password (recording events/single-password).
		return refusal(http.StatusForbidden, "event-password-protected", "A password protects the event."), nil
	}
	results, err := m.items(ctx, c, []jsontext.Value{reply.Body})
	if err != nil {
		return mapping.Reply{}, err
	}
	reply.Body = results[0]
	return reply, nil
}

// scan returns the result of a scan in the form of a list: all terms unchanged, of posts only the post with the
// slug.
func scan(b mapping.API, c *mapping.Call, slug string, reply mapping.Reply) (mapping.Reply, error) {
	items, total, err := counted(b, reply)
	i := slices.IndexFunc(items, func(item jsontext.Value) bool { return hasSlug(item, slug) })
	switch {
	case err != nil:
		return mapping.Reply{}, err
	case termPaths[c.Endpoint.Resource] != "":
		return c.PageOf(b, items, total, 1, reply.Header), nil
	case i >= 0:
		return c.PageOf(b, items[i:i+1], 1, 1, reply.Header), nil
	case total > maxScanned: // not len(items): the total counts items that the client may not read
		return mapping.Reply{}, errTooMany
	}
	return unknownItem(c, mapping.SlugParam.Name, "0"), nil
}

// items makes items in the table's shape, and reads the terms and images that the items name.
func (m *converter) items(ctx context.Context, c *mapping.Call, items []jsontext.Value) ([]jsontext.Value, error) {
	resource := c.Endpoint.Resource
	if termPaths[resource] == "" {
		if err := m.readBeside(ctx, c, items); err != nil {
			return nil, err
		}
	}
	results := make([]jsontext.Value, len(items))
	for i, item := range items {
		var err error
		if results[i], err = m.item(resource, item, false); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// list makes a page of items.
func (m *converter) list(ctx context.Context, c *mapping.Call, reply mapping.Reply) (mapping.Reply, error) {
	items, total, err := counted(m.API, reply)
	if err != nil {
		return mapping.Reply{}, err
	}
	last := mapping.ParseCount(reply.Header.Get(m.Dialect.TotalPages))
	names := byTerms(c)
	if names != nil {
		if total > maxFiltered {
			return mapping.Reply{}, mapping.Lacking(names)
		}
		items, total = selected(m.API, c, items)
		last = c.Pages(total)
		if c.Page() > max(last, 1) {
			return refusal(http.StatusNotFound, mapping.Singular(c.Endpoint.Resource)+notFoundSuffix,
				"The list has no such page."), nil
		}
	}
	page, err := m.items(ctx, c, items)
	if err != nil {
		return mapping.Reply{}, err
	}
	return c.PageOf(m.API, page, total, last, reply.Header), nil
}

// deleted makes the response to a deletion: for a post the item that was read before, now in the
// trash; for a term WordPress's representation of the term.
func (m *converter) deleted(c *mapping.Call, reply mapping.Reply) (mapping.Reply, error) {
	if termPaths[c.Endpoint.Resource] == "" {
		reply.Body = jsonscan.With(c.Found, "status", `"trash"`)
		return reply, nil
	}
	item, err := m.item(c.Endpoint.Resource, jsonscan.Get(reply.Body, "previous"), false)
	reply.Body = item
	return reply, err
}

// references are the members of an item that name terms and images only by id, with the paths to read these.
var references = []struct{ member, path string }{
	{"tribe_events_cat", termPaths["categories"]},
	{"tags", termPaths["tags"]},
	{"featured_media", mediaPath},
}

// readBeside reads the terms and images with ids in items: a hundred ids of a kind at once.
func (m *converter) readBeside(ctx context.Context, c *mapping.Call, items []jsontext.Value) error {
	ids := make([][]string, len(references))
	for _, item := range items {
		collectIDs(item, ids)
	}
	for i, kind := range references {
		for chunk := range slices.Chunk(distinct(ids[i]), maxPerPage) {
			reply, err := m.sendBeside(ctx, c, mapping.Request{
				Method: http.MethodGet,
				Path:   "/" + kind.path,
				Query:  fmt.Sprintf("include=%s&per_page=%d", strings.Join(chunk, "%2C"), maxPerPage),
				Header: m.Dialect.Header,
			})
			if err == nil {
				err = m.know(reply)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// distinct removes repeated ids. A response may have any number of them.
func distinct(ids []string) []string {
	listed := make(map[string]bool, len(ids))
	return slices.DeleteFunc(ids, func(id string) bool {
		repeated := listed[id]
		listed[id] = true
		return repeated
	})
}

// collectIDs adds the ids that an item, and the venues and organizers inside, name.
func collectIDs(item jsontext.Value, ids [][]string) {
	members, err := jsonscan.Members(item)
	if err != nil {
		return
	}
	for i, kind := range references {
		for _, v := range jsonscan.AsList(members[kind.member]) {
			s := string(v)
			if v.Kind() == jsontext.KindNumber && s != "0" {
				ids[i] = append(ids[i], s)
			}
		}
	}
	for _, inside := range []string{"venues", "organizers"} {
		for _, v := range jsonscan.AsList(members[inside]) {
			collectIDs(v, ids)
		}
	}
}

// know stores the terms or images of a response.
func (m *converter) know(reply mapping.Reply) error {
	items, err := jsonscan.Elements(reply.Body)
	if err != nil || !jsonscan.IsValid(reply.Body) {
		return errShape
	}
	for _, item := range items {
		resource := taxonomies[jsonscan.Text(jsonscan.Get(item, "taxonomy"))]
		m.related[mapping.Item{Resource: resource, ID: string(jsonscan.Get(item, mapping.IDParam.Name))}] = item
	}
	return nil
}

// taxonomies are WordPress's names of the resources with terms.
var taxonomies = map[string]string{"post_tag": "tags", "tribe_events_cat": "categories"}

var errShape = errors.New("the response has another shape")
