package crawl

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfacade/calfacade/mapping"
)

// Lists returns the first calls of a crawl: the first page of each list of the table, as long
// as pages can be, with the filters that exclude the least, in a stable order.
func Lists() []*mapping.Call {
	var calls []*mapping.Call
	for i := range mapping.Table {
		e := &mapping.Table[i]
		if e.Action != mapping.List {
			continue
		}
		query := url.Values{}
		for j := range e.Params {
			if value := e.Params[j].WidestValue(); value != "" {
				query.Set(e.Params[j].Name, value)
			}
		}
		calls = append(calls, listCall(e, query))
	}
	return calls
}

// listCall makes a call for a list, with values of the table in its query.
func listCall(e *mapping.Endpoint, query url.Values) *mapping.Call {
	c, err := get(e, "", query)
	if err != nil {
		panic("BUG: the table rejects its own values: " + err.Error())
	}
	return c
}

// get makes a call as a client would.
func get(e *mapping.Endpoint, item string, query url.Values) (*mapping.Call, error) {
	decoded, err := mapping.DecodeQuery(query.Encode())
	if err != nil {
		return nil, err
	}
	return mapping.Parse(e, http.MethodGet, mapping.Input{Item: item, Query: decoded}, mapping.Reject)
}

// Narrower returns calls for the same list that a site may accept if it refuses c, the one that
// shows the most first: without the size of pages, with no other parameter than that, and without
// parameters.
func Narrower(c *mapping.Call) []*mapping.Call {
	var calls []*mapping.Call
	last := c.Canonical()
	for _, has := range []func(*mapping.Param) bool{
		func(p *mapping.Param) bool { return p.Cap == 0 },
		func(p *mapping.Param) bool { return p.Cap > 0 },
		func(*mapping.Param) bool { return false },
	} {
		query := url.Values{}
		for _, a := range c.Query {
			if value := a.Param.WidestValue(); value != "" && has(a.Param) {
				query.Set(a.Param.Name, a.Text)
			}
		}
		made := listCall(c.Endpoint, query)
		if line := made.Canonical(); line != last && line != c.Canonical() {
			calls, last = append(calls, made), line
		}
	}
	return calls
}

// Plain returns the call for the same list without parameters.
func Plain(c *mapping.Call) *mapping.Call { return listCall(c.Endpoint, nil) }

// OnPage returns the call for another page of a list.
func OnPage(c *mapping.Call, n int) *mapping.Call {
	query := url.Values{mapping.PageParam.Name: {strconv.Itoa(n)}}
	for _, a := range c.Query {
		if a.Param.Name != mapping.PageParam.Name {
			query.Set(a.Param.Name, a.Text)
		}
	}
	return listCall(c.Endpoint, query)
}

// decoded returns a slug that an item shows as clients send it: WordPress percent-encodes letters
// outside ASCII, and finds nothing if that is encoded once more in a path.
func decoded(slug string) string {
	if s, err := url.PathUnescape(slug); err == nil && utf8.ValidString(s) && !strings.Contains(s, "/") {
		return s
	}
	return slug
}

// Reads returns the calls that read an item by its id and by its slug, "" for none, in the
// order of the table. There is no call for a slug that is invalid in a request.
func Reads(resource, itemID, itemSlug string) []*mapping.Call {
	var calls []*mapping.Call
	for i := range mapping.Table {
		e := &mapping.Table[i]
		if e.Resource != resource || e.Action != mapping.Read {
			continue
		}
		name := itemID
		if e.BySlug() {
			name = decoded(itemSlug)
		}
		if name == "" {
			continue
		}
		if c, err := get(e, name, nil); err == nil {
			calls = append(calls, c)
		}
	}
	return calls
}
