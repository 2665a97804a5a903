package mapping

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// tecBesides are the resources that an answer names by ids alone: the member of an
// item, where the items that it names are, and what of them is asked for.
var tecBesides = []struct{ member, path string }{
	{"tribe_events_cat", wpTerms["categories"]},
	{"tags", wpTerms["tags"]},
	{"featured_media", wpMedia},
}

// Beside gives the reads of the terms and images of what got shows: for each
// kind one for every hundred ids.
func (translator) Beside(b Backend, c *Call, got Reply) []Request {
	if wpTerms[c.Endpoint.Resource] != "" {
		return nil
	}
	ids := make([][]string, len(tecBesides))
	for _, item := range tecItems(c, got.Body) {
		collectIDs(item, ids)
	}
	var reads []Request
	for i, kind := range tecBesides {
		for some := range slices.Chunk(ids[i], wpAtMost) {
			reads = append(reads, Request{
				Method: http.MethodGet,
				Path:   "/" + kind.path,
				Query:  fmt.Sprintf("include=%s&per_page=%d", strings.Join(some, "%2C"), wpAtMost),
				Header: b.Dialect.Header,
			})
		}
	}
	return reads
}

// tecItems gives the items of an answer; nil for one that cannot be read.
func tecItems(c *Call, body []byte) []jsontext.Value {
	switch {
	case c.Endpoint.Action == Delete:
		return nil
	case c.Endpoint.Action == List || c.Endpoint.BySlug():
		items, _ := jsonscan.Elements(body)
		return items
	}
	return []jsontext.Value{body}
}

// collectIDs adds the ids that an item, and the venues and organizers inside,
// name, each once.
func collectIDs(item jsontext.Value, ids [][]string) {
	members, err := jsonscan.Members(item)
	if err != nil {
		return
	}
	for i, kind := range tecBesides {
		values, _ := jsonscan.Elements(members[kind.member])
		for _, v := range append(values, members[kind.member]) {
			if s := string(v); v.Kind() == jsontext.KindNumber && s != "0" && !slices.Contains(ids[i], s) {
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

// Convert gives an answer the shape of the table.
func (translator) Convert(b Backend, c *Call, got Reply, beside []Reply) (Reply, error) {
	if got.Status >= http.StatusBadRequest {
		got.Body = tecFailure(c, got)
		return got, nil
	}
	if !jsonscan.IsValid(got.Body) {
		return Reply{}, errShape
	}
	m := tecMaker{place: b.Place(), beside: map[string]map[string]jsontext.Value{}, zones: map[string]*time.Location{}}
	for _, reply := range beside {
		if err := m.know(reply); err != nil {
			return Reply{}, err
		}
	}
	switch {
	case c.Endpoint.Action == Delete:
		return m.deleted(c, got)
	case c.Endpoint.Action == List:
		return m.list(c, got, b.Dialect)
	case c.Endpoint.BySlug():
		return m.withSlug(c, got)
	}
	item, err := m.item(c.Endpoint.Resource, got.Body)
	got.Body = item
	return got, err
}

var errUncounted = errors.New("the header fields that count a list are missing: does something between take them away?")

// list makes a page of items.
func (m *tecMaker) list(c *Call, got Reply, d *Dialect) (Reply, error) {
	items, err := jsonscan.Elements(got.Body)
	if err == nil && !d.counts(got.Header) {
		err = errUncounted // the body does not tell
	}
	if err != nil {
		return Reply{}, err
	}
	made := make([]string, 0, len(items))
	for _, item := range items {
		one, err := m.item(c.Endpoint.Resource, item)
		if err != nil {
			return Reply{}, err
		}
		made = append(made, string(one))
	}
	last := pages(got.Header, d.TotalPages)
	links := `"rest_url":""`
	if c.Page() < last {
		links += `,"next_rest_url":""`
	}
	if c.Page() > 1 {
		links += `,"previous_rest_url":""`
	}
	got.Body = fmt.Appendf(nil, `{%s:[%s],%s,"total":%d,"total_pages":%d}`,
		jsonscan.Quote(c.Endpoint.Resource), strings.Join(made, ","), links, pages(got.Header, d.Total), last)
	return got, nil
}

// withSlug makes the one item of a list that was asked for by a slug. A list that
// has another is not one of a site with that filter.
func (m *tecMaker) withSlug(c *Call, got Reply) (Reply, error) {
	items, err := jsonscan.Elements(got.Body)
	if err != nil {
		return Reply{}, err
	}
	if len(items) == 1 {
		if have := jsonscan.Get(items[0], slug.Name); have.Kind() == jsontext.KindString && jsonscan.Text(have) == c.Item {
			got.Body, err = m.item(c.Endpoint.Resource, items[0])
			return got, err
		}
	}
	if len(items) > 0 {
		return Reply{}, errNoSlugs
	}
	got.Status = http.StatusNotFound
	got.Body = tecFailure(c, got)
	return got, nil
}

// deleted makes the answer to a deletion: of a post the item as it was before,
// which is in the trash now, of a term what WordPress says of it.
func (m *tecMaker) deleted(c *Call, got Reply) (Reply, error) {
	if wpTerms[c.Endpoint.Resource] == "" {
		got.Body = jsonscan.Replace(c.Found, "status", `"trash"`)
		return got, nil
	}
	previous := jsonscan.Get(got.Body, "previous")
	if previous == nil {
		return Reply{}, errNoPrevious
	}
	item, err := m.item(c.Endpoint.Resource, previous)
	got.Body = item
	return got, err
}
