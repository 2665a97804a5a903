package tec

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// client makes one call; see [mapping.Client].
type client struct {
	mapping.API
	env mapping.Environment
}

// sendBeside makes a read that the response to c depends on, in the shape of the backend. An error of the
// backend is an error, unless the request has Tries.
func (t *client) sendBeside(ctx context.Context, c *mapping.Call, request mapping.Request) (mapping.Reply, error) {
	request.Query = t.WithLanguage(request.Query, t.env.Language)
	reply, err := t.env.Send(ctx, c, request)
	if err == nil && reply.Status != http.StatusOK && !request.Tries {
		err = fmt.Errorf("upstream status %d for a read that completes the response", reply.Status)
	}
	return reply, err
}

// readFor returns a read that precedes c.
func readFor(c *mapping.Call, resource string, action mapping.Action, query ...mapping.Arg) *mapping.Call {
	return mapping.NewRead(mapping.RowOf(resource, action, false), c.Language, query...)
}

// forUpdate is a parameter that marks the scan for an update. Clients cannot send it.
var forUpdate mapping.Param

// forField is a parameter that marks the read of a link. The value is the field with the link.
// Clients cannot send it.
var forField mapping.Param

// The successor has no paths by slug, and lists ignore a filter slug (recordings
// tec/events-by-slug and tec/events-list-ignores-slug). So a call by slug is preceded by a list
// of the ids and slugs of all items that the client may see, and made by id.

// maxScanned is the maximum number of items in that list. The successor has no maximum
// (recording tec/events-list-per_page-999999).
const maxScanned = 10_000

var errTooMany = fmt.Errorf("%w: a search by slug reads at most %d items", mapping.ErrNotSupported, maxScanned)

// scanOf returns the scan for the item that c names by slug: a call of the table's list, with a
// parameter that clients cannot send.
func scanOf(c *mapping.Call) *mapping.Call {
	list := readFor(c, c.Endpoint.Resource, mapping.List, mapping.Arg{Param: &mapping.SlugParam, Text: c.Item})
	if c.Endpoint.Action == mapping.Update {
		list.Query = append(list.Query, mapping.Arg{Param: &forUpdate})
	}
	return list
}

// hasSlug reports whether an item has a slug. A client may send letters outside ASCII that are not
// percent-encoded in the item's slug, or a title that WordPress turns into the slug.
func hasSlug(item jsontext.Value, slug string) bool {
	itemSlug := jsonscan.Text(jsonscan.Get(item, mapping.SlugParam.Name))
	decoded, err := url.PathUnescape(itemSlug)
	return itemSlug != "" && (itemSlug == slug || itemSlug == mapping.SafeSlug(slug) || err == nil && decoded == slug)
}

// counted returns the items and the total of a list. Only the header has the total.
func counted(b mapping.API, reply mapping.Reply) (items []jsontext.Value, total int, err error) {
	items, err = jsonscan.Elements(reply.Body)
	if err == nil && !b.Dialect.Counts(reply.Header) {
		err = errUncounted
	}
	return items, mapping.ParseCount(reply.Header.Get(b.Dialect.Total)), err
}

var errUncounted = errors.New("the header fields with the totals of a list are missing: does a proxy in between remove them?")
