package audit

import (
	"context"
	"net/http"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// step is a call of the sample.
type step struct {
	call     *mapping.Call
	language string
	site     survey.Reader
	asked    *reply // of the instance, if it was asked before; nil: it was not
}

// reply is what came of a call at the instance.
type reply struct {
	Answer
	err error
}

func (c *Check) ask(ctx context.Context, s step) reply {
	if s.asked != nil {
		return *s.asked
	}
	got, err := c.Instance(ctx, s.call, s.language)
	if err == nil && !got.Cached {
		err = c.wait(ctx) // the instance made a call
	}
	return reply{got, err}
}

// read makes a call at the site.
func (c *Check) read(ctx context.Context, s step) (compare.Document, error) {
	if err := c.wait(ctx); err != nil {
		return compare.Document{}, err
	}
	return s.site(ctx, s.call, s.language)
}

// wait waits until another call to a site may be made.
func (c *Check) wait(ctx context.Context) error {
	if c.Limit == nil {
		return nil
	}
	return c.Limit.Wait(ctx)
}

// steps returns calls that clients make, in random order: each list without parameters, and the items on
// its first page and on another one, by id and by slug.
func (c *Check) steps(ctx context.Context, r *Result) []step {
	var all []step
	for _, language := range c.Languages {
		for _, widest := range crawl.Lists() {
			list := step{call: crawl.Plain(widest), language: language}
			if list.site = c.Site(list.call.Endpoint.Resource, language); list.site == nil {
				r.Uncertain++
				continue
			}
			got := c.ask(ctx, list)
			list.asked = &got // the next answer would come from the cache in any case
			all = append(all, list)
			if got.err == nil {
				all = append(all, c.items(ctx, list, r)...)
			}
		}
	}
	c.Random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// items returns the calls for the items on two pages of a list: those that the site shows, and those that
// the instance shows, which the site may have deleted.
func (c *Check) items(ctx context.Context, list step, r *Result) []step {
	first, ok := c.listed(ctx, list, r)
	if !ok {
		return nil
	}
	listed := first.Items
	if first.Pages > 1 {
		other := step{call: crawl.OnPage(list.call, 2+c.Random.IntN(first.Pages-1)), language: list.language, site: list.site}
		page, _ := c.listed(ctx, other, r)
		listed = append(listed, page.Items...)
	}
	var all []step
	seen := map[string]bool{}
	for _, item := range listed {
		for _, call := range crawl.Reads(list.call.Endpoint.Resource, item.ID, item.Slug) {
			if line := lineOf(call); !seen[line] {
				seen[line] = true
				all = append(all, step{call: call, language: list.language, site: list.site})
			}
		}
	}
	return all
}

// listed returns a page of a list as the site has it, with the items that the instance has beside those.
func (c *Check) listed(ctx context.Context, list step, r *Result) (crawl.Page, bool) {
	d, err := c.read(ctx, list)
	if err != nil {
		r.fail(err)
		return crawl.Page{}, false
	}
	page, err := crawl.ReadPage(list.call, d.Body)
	if err != nil || d.Status != http.StatusOK {
		return crawl.Page{}, false
	}
	if got := c.ask(ctx, list); got.err == nil && got.Status == http.StatusOK {
		if shown, err := crawl.ReadPage(list.call, got.Body); err == nil {
			page.Items = append(page.Items, shown.Items...)
		}
	}
	return page, true
}

// lineOf returns the path and query of a call.
func lineOf(c *mapping.Call) string {
	if query := c.Canonical(); query != "" {
		return c.Path() + "?" + query
	}
	return c.Path()
}
