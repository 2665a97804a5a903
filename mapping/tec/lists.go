package tec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// itemsIn returns the items of a response; nil for one that cannot be read.
func itemsIn(c *mapping.Call, body []byte) []jsontext.Value {
	switch {
	case c.Endpoint.Action == mapping.Delete:
		return nil
	case c.Endpoint.Action == mapping.List:
		items, _ := jsonscan.Elements(body)
		return items
	}
	return []jsontext.Value{body}
}

var errUncounted = errors.New("the header fields with the totals of a list are missing: does a proxy in between remove them?")

// listBody makes a page of items, which are separated by commas. The rewriter fills in the links.
func listBody(c *mapping.Call, items string, total, last int) []byte {
	links := `"rest_url":""`
	if c.Page() < last {
		links += `,"next_rest_url":""`
	}
	if c.Page() > 1 {
		links += `,"previous_rest_url":""`
	}
	return fmt.Appendf(nil, `{%s:[%s],%s,"total":%d,"total_pages":%d}`,
		jsonscan.Quote(c.Endpoint.Resource), items, links, total, last)
}

// joined returns values separated by commas.
func joined(values []jsontext.Value) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ",")
}
