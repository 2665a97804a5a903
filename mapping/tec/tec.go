package tec

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// Dialect is the REST API that the plugin has beside the legacy one since version 6.15: the routes, parameters
// and fields are as in 6.17.2, as recorded from a real site. The makers call the API experimental and require
// an acknowledgment, word for word, with every request.
//
// The API has events, venues and organizers. Terms are read and written by WordPress's
// own wp/v2, and images are read there.
//
// Calls are refused (see [mapping.Lacking]) for features that the API lacks:
//   - the filters include, geoloc, geoloc_lat, geoloc_lng and ticketed of events, has_events and
//     only_with_upcoming of venues and organizers: the API ignores these, also the declared filters
//   - the fields website, show_map, show_map_link, hide_from_listings and image, terms
//     by name, venues and organizers described in place, and dates that depend on a clock
//   - creates of events, venues and organizers without status: the API publishes them, also for a
//     contributor; the legacy would store drafts
//   - the status future without a date, which the API publishes, and titles of blanks
//   - updates that set featured or all_day to false, or remove the venue or the image
//
// Attributes that responses lack are null or empty if the table requires them, and left out otherwise: an
// event's website, its map, custom_fields, json_ld.
var Dialect = &mapping.Dialect{
	Namespace:     "tec/v1",
	LanguageParam: "wpml_language",
	Header: http.Header{"X-Tec-Eea": {"I understand that this endpoint is experimental and may change in a future release " +
		"without maintaining backward compatibility. I also understand that I am using this endpoint at my own risk, " +
		"while support is not provided for it."}},
	Total:      "X-WP-Total",
	TotalPages: "X-WP-TotalPages",
	Vendor:     "tribe_",
	WordPress:  true,
	Client: func(b mapping.API, env mapping.Environment) mapping.Client {
		return &client{API: b, env: env}
	},
}

// Do implements [mapping.Client].
func (t *client) Do(ctx context.Context, c *mapping.Call) (mapping.Reply, error) {
	return mapping.Result(t.do(ctx, c))
}

// do makes a call, with the reads before it: the ids and slugs of items; the item that a write changes, since an
// update must repeat some fields, and the response to a deletion is empty; and the items that a write links.
func (t *client) do(ctx context.Context, c *mapping.Call) (mapping.Reply, error) {
	names := unsupported(c)
	if len(names) > 0 && !c.Endpoint.Writes() {
		return mapping.Reply{}, names
	}
	call := c
	if c.Endpoint.BySlug {
		list, err := t.readFirst(ctx, c, scanOf(c))
		if err != nil {
			return mapping.Reply{}, err
		}
		if call, err = t.byID(c, list); err != nil {
			return mapping.Reply{}, err
		}
	}
	var err error
	switch {
	case c.Endpoint.Writes():
		call, err = t.prepared(ctx, call)
	case c.Endpoint.Action == mapping.List:
		call, err = t.withTerms(ctx, call)
	}
	if err != nil {
		return mapping.Reply{}, err
	}
	reply, err := t.env.Send(ctx, call, t.request(call))
	if err == nil {
		reply, err = t.converted(ctx, call, reply)
	}
	if err == nil && reply.Status < http.StatusBadRequest {
		reply.Drift = tribe.Drift(t.API, c, call, reply.Body)
	}
	return reply, err
}

// byID returns a call by slug as the call by id, once the scan has found the item.
func (t *client) byID(c *mapping.Call, list []byte) (*mapping.Call, error) {
	items, err := jsonscan.Elements(jsonscan.Get(list, c.Endpoint.Resource))
	if err != nil || len(items) != 1 {
		return nil, mapping.ErrIncomplete
	}
	call, _, err := t.ByID(c, items[0])
	return call, err
}

// prepared returns a write by id with the item and in local time, after checking that all links exist.
func (t *client) prepared(ctx context.Context, c *mapping.Call) (*mapping.Call, error) {
	call := c
	if c.Item != "" && termPaths[c.Endpoint.Resource] == "" {
		item, err := t.readFirst(ctx, c, c.ReadItem())
		if err != nil {
			return nil, err
		}
		if call, err = t.withItem(c, item); err != nil {
			return nil, err
		}
	}
	if err := t.checkLinks(ctx, call); err != nil {
		return nil, err
	}
	call, err := tribe.LocalTime(ctx, call, t.env)
	if err != nil {
		return nil, err
	}
	names := unsupported(call)
	if len(names) > 0 {
		return nil, names
	}
	return call, nil
}

// withItem returns a call with the item to change.
func (t *client) withItem(c *mapping.Call, item []byte) (*mapping.Call, error) {
	call, members, err := t.ByID(c, item)
	if err == nil && c.Endpoint.Action == mapping.Update {
		names := ignored(c, members)
		if len(names) > 0 {
			return nil, names
		}
		call.Fields = completed(c, members)
	}
	return call, err
}

// checkLinks reads the venues, organizers and terms that a write links and the event does not have yet.
// The error names a field with a term that does not exist, or with too many links.
func (t *client) checkLinks(ctx context.Context, c *mapping.Call) error {
	for _, a := range linksOf(c) {
		if termPaths[a.Param.Of] == "" && len(t.newLinks(c, a)) > maxLinked {
			return mapping.Lacking{a.Param.Name}
		}
		for _, lookup := range t.linkReads(c, a) {
			body, err := t.readFirst(ctx, c, lookup)
			refused, isRefused := errors.AsType[*mapping.Refused](err)
			switch {
			case isRefused && refused.Reply.Status == http.StatusBadRequest && lookup.Item == "":
				return mapping.Faults{unknownTerm(a.Param.Name)}
			case err != nil:
				return err
			case lookup.Item == "" && !t.hasTerms(body, lookup):
				return mapping.Faults{unknownTerm(a.Param.Name)}
			}
		}
	}
	return nil
}

// withTerms returns c with the ids of the terms to filter by.
func (t *client) withTerms(ctx context.Context, c *mapping.Call) (*mapping.Call, error) {
	for _, resource := range byTerms(c) {
		terms, err := t.allTerms(ctx, c, resource)
		if err != nil {
			return nil, err
		}
		ids, ok := resolved(t.API, resource, strings.Split(c.Value(resource), ","), terms)
		if !ok {
			return nil, mapping.Faults{unknownTerm(resource)}
		}
		c = c.With(resource, strings.Join(ids, ","))
	}
	return c, nil
}

// allTerms reads the terms of a resource for c, page by page.
func (t *client) allTerms(ctx context.Context, c *mapping.Call, resource string) (terms []jsontext.Value, err error) {
	for total := 1; len(terms) < total; {
		page, err := t.readFirst(ctx, c, pageOfTerms(c, resource, len(terms)/maxPerPage+1))
		if err != nil {
			return nil, err
		}
		chunk, noList := jsonscan.Elements(jsonscan.Get(page, resource))
		count, noCount := strconv.Atoi(string(jsonscan.Get(page, "total")))
		terms = append(terms, chunk...)
		total = count
		switch {
		case noList != nil, noCount != nil, len(chunk) == 0 && len(terms) < total:
			return nil, mapping.ErrIncomplete
		case total > maxTerms:
			return nil, mapping.Lacking{resource}
		}
	}
	return terms, nil
}

// readFirst makes a read that c depends on, and returns the body in the shape of the table.
func (t *client) readFirst(ctx context.Context, c, lookup *mapping.Call) ([]byte, error) {
	return t.env.ReadFirst(ctx, c, lookup, t.Do)
}

// Preview implements [mapping.Client].
func (t *client) Preview(c *mapping.Call) (lookup, request mapping.Request) {
	first := t.firstRead(c)
	if first != nil {
		lookup = t.request(first)
	}
	return lookup, t.request(c)
}

// firstRead returns the first read that a call depends on; nil without such a read.
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
		reads := t.linkReads(c, a)
		if len(reads) > 0 {
			return reads[0]
		}
	}
	return nil
}
