package tec

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The successor has no paths by slug, and its lists ignore a filter slug (recordings
// tec/events-by-slug and tec/events-list-ignores-slug). So a call by slug is preceded by a list
// of the ids and slugs of all items that the client may see, and made by id.

// maxScanned is the maximum number of items in that list. The successor has no maximum of its own
// (recording tec/events-list-per_page-999999).
const maxScanned = 10_000

var errTooMany = fmt.Errorf("%w: a search by slug reads at most %d items", mapping.ErrNotSupported, maxScanned)

// scanOf returns the scan for the item that c names by its slug: a call of the table's list, with a
// parameter that clients cannot send.
func scanOf(c *mapping.Call) *mapping.Call {
	list := &mapping.Call{
		Endpoint: mapping.RowOf(c.Endpoint.Resource, mapping.List, false), Method: http.MethodGet, Language: c.Language,
		Query: []mapping.Arg{{Param: &mapping.SlugParam, Text: c.Item}},
	}
	if c.Endpoint.Action == mapping.Update {
		list.Query = append(list.Query, mapping.Arg{Param: &forUpdate})
	}
	return list
}

// scanned returns the slug that a call made by scanOf searches for.
func scanned(c *mapping.Call) (slug string, ok bool) {
	a, ok := c.Argument(&mapping.SlugParam)
	return a.Text, ok
}

// scanQuery is the query of a scan: of all posts that the client may see, or of a page of terms.
func scanQuery(c *mapping.Call) []string {
	if termPaths[c.Endpoint.Resource] != "" {
		return []string{"_fields=id%2Cslug%2Cparent", fmt.Sprintf("page=%d", c.Page()), fmt.Sprintf("per_page=%d", maxPerPage)}
	}
	return []string{"_fields=id%2Cslug", fmt.Sprintf("per_page=%d", maxScanned), "status=" + url.QueryEscape(anyStatus)}
}

// scan returns the result of a scan in the form of a list: terms as they are, of posts the one with
// the slug.
func scan(c *mapping.Call, slug string, got mapping.Reply, d *mapping.Dialect) (mapping.Reply, error) {
	items, err := jsonscan.Elements(got.Body)
	if err == nil && !d.Counts(got.Header) {
		err = errUncounted
	}
	total := mapping.HeaderCount(got.Header, d.Total)
	switch i := slices.IndexFunc(items, func(item jsontext.Value) bool { return hasSlug(item, slug) }); {
	case err != nil:
		return mapping.Reply{}, err
	case termPaths[c.Endpoint.Resource] != "":
		got.Body = listBody(c, joined(items), total, 1)
	case i >= 0:
		got.Body = listBody(c, string(items[i]), 1, 1)
	case total > maxScanned: // not len(items): it counts items that the client may not read
		return mapping.Reply{}, errTooMany
	default:
		return unknownItem(c, mapping.SlugParam.Name, "0"), nil
	}
	return got, nil
}

// byID returns a call by slug as the call by id, once the scan has found the item.
func byID(b mapping.Backend, c *mapping.Call, found []byte) (*mapping.Call, error) {
	items, err := jsonscan.Elements(jsonscan.Get(found, c.Endpoint.Resource))
	if err != nil || len(items) != 1 {
		return nil, mapping.ErrIncomplete
	}
	id, ok := mapping.ItemID(items[0])
	if !ok {
		return nil, mapping.ErrIncomplete
	}
	done := *c
	done.Endpoint = mapping.RowOf(c.Endpoint.Resource, c.Endpoint.Action, false)
	done.Item = b.IDs.Legacy(c.Endpoint.Resource, id)
	return &done, nil
}

// hasSlug reports whether an item has a slug. A client may send letters outside ASCII that are not
// percent-encoded in the item's slug, or a title that WordPress turns into the slug.
func hasSlug(item jsontext.Value, slug string) bool {
	have := jsonscan.Text(jsonscan.Get(item, mapping.SlugParam.Name))
	decoded, err := url.PathUnescape(have)
	return have != "" && (have == slug || have == mapping.SafeSlug(slug) || err == nil && decoded == slug)
}
