package proxy

import (
	"context"
	"errors"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// current makes a call. If the response is of a cache at the site, and may be older than a change of the items,
// current makes the call again past that cache. A cache that nothing passes makes the response old.
func (s *site) current(ctx context.Context, c backendCall, record *calls) (neutralResponse, error) {
	if c.description != nil {
		return s.backend.call(ctx, c, record)
	}
	return s.pastCaches(&c, func() (neutralResponse, error) { return s.backend.call(ctx, c, record) })
}

// pastCaches makes the call c, by a function that reads c, until no cache at the site can have sent an old response.
func (s *site) pastCaches(c *backendCall, call func() (neutralResponse, error)) (resp neutralResponse, err error) {
	for {
		c.began = s.options.Clock()
		c.stored = new(oldestStored)
		next, failure := call()
		if failure != nil && c.past == notPast {
			return neutralResponse{}, failure
		}
		if failure == nil {
			resp = next
			resp.old = s.predates(c, &resp)
		}
		if resp.old && c.past == notPast && c.stored.Shows() {
			s.backend.upstream.ReportStored(c.stored.root, c.stored.Field)
		}
		if !resp.old || failure != nil || c.past == byNewURL {
			break
		}
		c.past++
	}
	if resp.old && c.class == upstream.Write {
		return neutralResponse{}, invalid(errOld)
	}
	return resp, nil
}

// errOld is the cause of the failure of a write that needs an item in its current state, which cannot be read.
var errOld = errors.New("a cache at the site answers the read that the write needs with an old response: exclude /wp-json/ from it")

// predates reports whether a response may have been made before the last change of the items in the response. A
// URL that was new for this call cannot have an answer from before the call, unless the cache ignores the
// query.
func (s *site) predates(c *backendCall, resp *neutralResponse) bool {
	stored := c.stored
	isNew := c.past == byNewURL && !stored.Hit && (stored.Dated || stored.Age <= s.options.Clock().Sub(c.began)+time.Second)
	if stored.Field == "" || isNew {
		return false
	}
	since := stored.Since(c.began)
	if c.class == upstream.Write {
		return since.Before(c.began)
	}
	if s.options.Cache == nil {
		return false
	}
	tags := c.call.Tags(s.spaces[c.choice.Index], s.options.Site[c.choice.Index].Code, resp.body.Shows)
	return since.Before(s.options.Cache.LastPurge(tags))
}
