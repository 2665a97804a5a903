package proxy

import (
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/view"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// read returns the response to a read that may be shared, in the view that the client asks for. A view has an entry of
// its own. Without one that is fresh the view is made of the whole response, which the cache has or fetches: with its
// age, its freshness, and its way through the cache.
func (s *site) read(x *exchange) (cache.Result, error) {
	if len(x.target.call.View) == 0 {
		return s.lookup(x, x.key)
	}
	if stored, ok := s.options.Cache.Fresh(x.purgesKnown, x.key); ok {
		x.outcome = telemetry.OutcomeOf(stored)
		return stored, nil
	}
	complete, err := s.lookup(x, s.wholeKey(x.target))
	if err != nil {
		return complete, err
	}
	return s.derive(x, complete)
}

// stored returns the response to a read from memory, in the view that the client asks for.
func (s *site) stored(x *exchange) (result cache.Result, ok bool) {
	result, ok = s.options.Cache.Fresh(x.purgesKnown, x.key)
	if ok || len(x.target.call.View) == 0 {
		return result, ok
	}
	if result, ok = s.options.Cache.Fresh(x.purgesKnown, s.wholeKey(x.target)); !ok {
		return result, false
	}
	result, err := s.derive(x, result)
	return result, err == nil
}

// wholeKey returns the key of the whole response to a request for a view.
func (s *site) wholeKey(t *target) string {
	return t.call.Whole().Key(s.backend.shape, s.options.Site[t.choice.Index].Code)
}

// derive returns a result with the view that the client asks for instead of the whole response. Errors are shown whole.
func (s *site) derive(x *exchange, complete cache.Result) (cache.Result, error) {
	if complete.Entry.Status != http.StatusOK {
		return complete, nil
	}
	return s.options.Cache.Derive(x.key, complete, func(e *cache.Entry) (*cache.Entry, error) {
		body, err := view.Of(x.target.call, e.Body)
		if err != nil {
			return nil, err
		}
		shown := &cache.Entry{Status: e.Status, ETag: etag(body), Body: body, Gzip: compress(body), Fields: slices.Clone(e.Fields)}
		for i, field := range shown.Fields {
			switch field.Name {
			case "Etag":
				shown.Fields[i].Values = []string{shown.ETag}
			case "Link":
				shown.Fields[i].Values = viewLinks(x.target.call, field.Values)
			}
		}
		return shown, nil
	})
}

// show replaces a response that only one client gets with the view that the client asks for.
func (x *exchange) show(resp *neutralResponse) error {
	call := x.target.call
	if len(call.View) == 0 || resp.reply.Status != http.StatusOK {
		return nil
	}
	body, err := view.Of(call, resp.body.Body)
	if err != nil {
		return err
	}
	resp.body.Body = body
	links := resp.header["Link"]
	if links != nil {
		resp.header["Link"] = viewLinks(call, links)
	}
	return nil
}

// viewLinks returns the values of Link with links that name the view too.
func viewLinks(call *mapping.Call, values []string) []string {
	links := make([]string, len(values))
	for i, value := range values {
		links[i] = view.Links(call, value)
	}
	return links
}
