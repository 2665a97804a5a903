package tec

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// references are the members of an item that name others by ids alone, and the paths of those.
var references = []struct{ member, path string }{
	{"tribe_events_cat", termPaths["categories"]},
	{"tags", termPaths["tags"]},
	{"featured_media", mediaPath},
}

// Beside returns the reads of the terms and images whose ids are in got: one for each hundred ids
// of a kind. For an error it returns the read that shows whether the item exists.
func (translator) Beside(b mapping.Backend, c *mapping.Call, got mapping.Reply) []mapping.Request {
	switch {
	case leavesOpen(c, got):
		return []mapping.Request{existence(b, c)}
	case termPaths[c.Endpoint.Resource] != "", got.Status >= http.StatusBadRequest:
		return nil
	}
	items := itemsIn(c, got.Body)
	if byTerms(c) != nil {
		items, _ = selected(b, c, items)
	}
	ids := make([][]string, len(references))
	for _, item := range items {
		collectIDs(item, ids)
	}
	var reads []mapping.Request
	for i, kind := range references {
		for some := range slices.Chunk(distinct(ids[i]), maxPerPage) {
			reads = append(reads, mapping.Request{
				Method: http.MethodGet,
				Path:   "/" + kind.path,
				Query:  fmt.Sprintf("include=%s&per_page=%d", strings.Join(some, "%2C"), maxPerPage),
				Header: b.Dialect.Header,
			})
		}
	}
	return reads
}

// distinct removes repeated ids. A response may have any number of them.
func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(ids, func(id string) bool {
		repeated := seen[id]
		seen[id] = true
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
		values, _ := jsonscan.Elements(members[kind.member])
		for _, v := range append(values, members[kind.member]) {
			if s := string(v); v.Kind() == jsontext.KindNumber && s != "0" {
				ids[i] = append(ids[i], s)
			}
		}
	}
	for _, inside := range []string{"venues", "organizers"} {
		values, _ := jsonscan.Elements(members[inside])
		for _, v := range values {
			collectIDs(v, ids)
		}
	}
}

// Convert returns a response in the shape of the table.
func (translator) Convert(b mapping.Backend, c *mapping.Call, got mapping.Reply, beside []mapping.Reply) (mapping.Reply, error) {
	if got.Status >= http.StatusBadRequest {
		return failed(c, got, beside), nil
	}
	if !jsonscan.IsValid(got.Body) {
		return mapping.Reply{}, errShape
	}
	m := converter{place: b.Place(), beside: map[string]map[string]jsontext.Value{}, zones: map[string]*time.Location{}}
	for _, reply := range beside {
		if err := m.know(reply); err != nil {
			return mapping.Reply{}, err
		}
	}
	slug, isScan := scanned(c)
	switch {
	case isScan:
		return scan(c, slug, got, b.Dialect)
	case c.Endpoint.Action == mapping.Delete:
		return m.deleted(c, got)
	case c.Endpoint.Action == mapping.List:
		return m.list(b, c, got)
	case hiddenEvent(c, got.Body):
		return passwordNeeded(), nil
	}
	item, err := m.item(c.Endpoint.Resource, got.Body)
	got.Body = item
	return got, err
}

// list makes a page of items.
func (m *converter) list(b mapping.Backend, c *mapping.Call, got mapping.Reply) (mapping.Reply, error) {
	items, err := jsonscan.Elements(got.Body)
	if err == nil && !b.Dialect.Counts(got.Header) {
		err = errUncounted // the body has no totals
	}
	if err != nil {
		return mapping.Reply{}, err
	}
	total, last := mapping.HeaderCount(got.Header, b.Dialect.Total), mapping.HeaderCount(got.Header, b.Dialect.TotalPages)
	if names := byTerms(c); names != nil {
		if total > maxFiltered {
			return mapping.Reply{}, mapping.Lacking(names)
		}
		items, total = selected(b, c, items)
		last = (total + perPage(c) - 1) / perPage(c)
		if c.Page() > max(last, 1) {
			return pageBeyond(c), nil
		}
		got.Header = got.Header.Clone()
		got.Header.Set(b.Dialect.Total, strconv.Itoa(total))
		got.Header.Set(b.Dialect.TotalPages, strconv.Itoa(last))
	}
	made := make([]jsontext.Value, 0, len(items))
	for _, item := range items {
		one, err := m.item(c.Endpoint.Resource, item)
		if err != nil {
			return mapping.Reply{}, err
		}
		made = append(made, one)
	}
	got.Body = listBody(c, joined(made), total, last)
	return got, nil
}

// deleted makes the response to a deletion: for a post the item that was read before, now in the
// trash; for a term what WordPress returns of it.
func (m *converter) deleted(c *mapping.Call, got mapping.Reply) (mapping.Reply, error) {
	if termPaths[c.Endpoint.Resource] == "" {
		got.Body = jsonscan.Replace(c.Found, "status", `"trash"`)
		return got, nil
	}
	previous := jsonscan.Get(got.Body, "previous")
	if previous == nil {
		return mapping.Reply{}, errNoPrevious
	}
	item, err := m.item(c.Endpoint.Resource, previous)
	got.Body = item
	return got, err
}
