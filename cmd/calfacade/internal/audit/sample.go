package audit

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

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
	asked    *answer // of the facade, if it was asked before
}

// answer is the result of a call at the facade.
type answer struct {
	compare.Document
	header http.Header
	err    error
}

const cacheStatus = "Cache-Status"

// age returns seconds; 0 without Age.
func (a answer) age() int {
	seconds, _ := strconv.Atoi(a.header.Get("Age"))
	return max(0, seconds)
}

// cached reports whether the facade or a cache in front of it had the answer.
func (a answer) cached() bool {
	return a.age() > 0 || strings.Contains(strings.Join(a.header[cacheStatus], ","), "; hit")
}

func (a *Auditor) ask(ctx context.Context, s step) (got answer) {
	if s.asked != nil {
		return *s.asked
	}
	got.Document, got.header, got.err = a.Facade(ctx, s.call, s.language)
	if got.err == nil && !got.cached() {
		got.err = a.Limit.Wait(ctx) // the facade made a call
	}
	return got
}

// read makes a call at the site.
func (a *Auditor) read(ctx context.Context, s step) (compare.Document, error) {
	if err := a.Limit.Wait(ctx); err != nil {
		return compare.Document{}, err
	}
	return s.site(ctx, s.call, s.language)
}

// steps returns calls that clients make, in random order: each list without parameters, and the items on
// its first page and on another one, by id and by slug.
func (a *Auditor) steps(ctx context.Context, r *Result) (all []step) {
	for _, language := range a.Languages {
		for _, widest := range crawl.Lists() {
			list := step{call: crawl.Plain(widest), language: language}
			if list.site = a.Site(list.call.Endpoint.Resource, language); list.site == nil {
				r.Uncertain++
				continue
			}
			got := a.ask(ctx, list)
			list.asked = &got // the next answer would come from the cache in any case
			all = append(append(all, list), a.items(ctx, list, r)...)
		}
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// items returns the calls for the items on two pages of a list.
func (a *Auditor) items(ctx context.Context, list step, r *Result) (all []step) {
	seen := map[string]bool{}
	for page := list; ; {
		shown := a.listed(ctx, page, r)
		for _, item := range shown.Items {
			for _, call := range crawl.Reads(list.call.Endpoint.Resource, item.ID, item.Slug) {
				if line := survey.LineOf(call); !seen[line] {
					seen[line] = true
					all = append(all, step{call: call, language: list.language, site: list.site})
				}
			}
		}
		if page.call != list.call || shown.Pages < 2 {
			return all
		}
		page = step{call: crawl.OnPage(list.call, 2+rand.IntN(shown.Pages-1)), language: list.language, site: list.site}
	}
}

// listed returns a page of a list as the site has it, with the items that the facade shows beside those,
// which the site may have deleted.
func (a *Auditor) listed(ctx context.Context, list step, r *Result) (page crawl.Page) {
	got := a.ask(ctx, list)
	if got.err != nil {
		return page // examine counts it
	}
	d, err := a.read(ctx, list)
	if err != nil {
		r.fail(err)
		return page
	}
	for _, d := range []compare.Document{d, got.Document} {
		if shown, err := crawl.ReadPage(list.call, d.Body); err == nil && d.Status == http.StatusOK {
			page.Items, page.Pages = append(page.Items, shown.Items...), max(page.Pages, shown.Pages)
		}
	}
	return page
}
