package survey

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// Auditor compares a facade with its sites.
type Auditor struct {
	// Facade makes a call at the facade, or at a cache in front of it.
	Facade func(ctx context.Context, call *mapping.Call, language string) (compare.Document, http.Header, error)

	Site      func(resource, language string) Reader // reads the backend that serves the reads; nil: a canary decides which
	Languages []string
	Sample    int           // calls
	Wait      time.Duration // how long the purge of a change may take
	Comparer  *compare.Comparer
	Rate      float64 // calls to sites per second, with the calls that the facade makes for the audit; 0 disables the limit

	limit *rate.Limiter
}

// suspect is an answer that differs.
type suspect struct {
	step
	was   answer
	found []compare.Difference
}

// Run audits a sample. An answer that differs from two reads of the site is stale if it is still sent
// after Wait.
func (a *Auditor) Run(ctx context.Context) (AuditResult, error) {
	a.limit = limiter(a.Rate)
	r := AuditResult{Findings: []StaleAnswer{}}
	steps := a.steps(ctx, &r)
	var suspects []suspect
	for _, s := range steps[:min(len(steps), a.Sample)] {
		if is := a.examine(ctx, s, &r); is != nil {
			suspects = append(suspects, *is)
		}
	}
	if len(suspects) > 0 {
		select {
		case <-time.After(a.Wait):
		case <-ctx.Done():
		}
	}
	for _, s := range suspects {
		a.confirm(ctx, s, &r)
	}
	r.Stale = len(r.Findings)
	return r, ctx.Err()
}

// examine compares an answer. It returns one that differs.
func (a *Auditor) examine(ctx context.Context, s step, r *AuditResult) *suspect {
	got := a.ask(ctx, s)
	if got.err == nil && !got.cached() {
		r.NotCached++
		return nil
	}
	found, err := a.differences(ctx, s, got)
	switch {
	case err != nil:
		r.fail(err)
	case len(found) > 0:
		return &suspect{s, got, found}
	default:
		r.Audited++
	}
	return nil
}

// differences compares an answer with the site.
func (a *Auditor) differences(ctx context.Context, s step, got answer) (found []compare.Difference, err error) {
	read := func() (compare.Document, error) { return a.read(ctx, s) }
	if err = got.err; err != nil {
		return nil, err
	}
	site, err := read()
	if err == nil {
		found, _, err = a.Comparer.Compare(s.call.Endpoint.Name(), site, got.Document, read)
	}
	return found, err
}

// confirm makes a suspect a finding if it is still sent.
func (a *Auditor) confirm(ctx context.Context, s suspect, r *AuditResult) {
	s.asked = nil
	now := a.ask(ctx, s.step)
	switch {
	case now.err != nil:
		r.fail(now.err)
	case !now.cached() || now.Status != s.was.Status || !bytes.Equal(now.Body, s.was.Body):
		r.Changed++
	default:
		r.Audited++
		r.Findings = append(r.Findings, StaleAnswer{s.language, LineOf(s.call), now.age(), now.header.Get(cacheStatus), s.found})
	}
}

// step is a call of the sample.
type step struct {
	call     *mapping.Call
	language string
	site     Reader
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
		got.err = a.limit.Wait(ctx) // the facade made a call
	}
	return got
}

// read makes a call at the site.
func (a *Auditor) read(ctx context.Context, s step) (compare.Document, error) {
	if err := a.limit.Wait(ctx); err != nil {
		return compare.Document{}, err
	}
	return s.site(ctx, s.call, s.language)
}

// steps returns calls that clients make, in random order: each list without parameters, and the items on
// its first page and on another one, by id and by slug.
func (a *Auditor) steps(ctx context.Context, r *AuditResult) (all []step) {
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
func (a *Auditor) items(ctx context.Context, list step, r *AuditResult) (all []step) {
	seen := map[string]bool{}
	for page := list; ; {
		shown := a.listed(ctx, page, r)
		for _, item := range shown.Items {
			for _, call := range crawl.Reads(list.call.Endpoint.Resource, item.ID, item.Slug) {
				if line := LineOf(call); !seen[line] {
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
func (a *Auditor) listed(ctx context.Context, list step, r *AuditResult) (page crawl.Page) {
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

// AuditResult has the counts and findings of an audit.
type AuditResult struct {
	Audited   int           `json:"audited"`    // answers from a cache that were compared
	Stale     int           `json:"stale"`      // of these
	NotCached int           `json:"not_cached"` // answers that were fetched for the audit, which proves nothing
	Changed   int           `json:"changed"`    // answers that changed while they were audited, as by a purge
	Uncertain int           `json:"uncertain"`  // lists, with their items, that a canary serves from one site or the other
	Failed    int           `json:"failed"`     // calls without an answer of the facade or the site
	Failure   string        `json:"failure"`    // why the first of them has none; "" if none failed
	Findings  []StaleAnswer `json:"findings"`   // the stale answers
}

// StaleAnswer is a stale answer.
type StaleAnswer struct {
	Language    string               `json:"language"`
	Call        string               `json:"call"`
	Age         int                  `json:"age"`          // seconds since it was fetched
	CacheStatus string               `json:"cache_status"` // names the caches that it passed, the nearest to the site first
	Differences []compare.Difference `json:"differences"`
}

func (r *AuditResult) fail(err error) {
	r.Failed++
	r.Failure = cmp.Or(r.Failure, err.Error())
}

// AuditCount is a number of a result, by its label among the metrics.
type AuditCount struct {
	Label string
	N     int
	what  string // in words, of answers that were not compared
}

// Counts returns each call of the sample in one number.
func (r AuditResult) Counts() []AuditCount {
	return []AuditCount{
		{"same", r.Audited - r.Stale, ""},
		{"stale", r.Stale, ""},
		{"not_cached", r.NotCached, "answers were not cached"},
		{"changed", r.Changed, "answers changed meanwhile"},
		{"uncertain", r.Uncertain, "lists are served from either site, by a canary"},
		{"failed", r.Failed, "calls failed, the first: " + r.Failure},
	}
}

// maxPrinted limits the differences of a finding that are printed.
const maxPrinted = 5

// Print prints a result for people.
func (r AuditResult) Print(w io.Writer) error {
	_, failed := fmt.Fprintf(w, "audited %d cached answers: %d stale\n", r.Audited, r.Stale)
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	for _, c := range r.Counts() {
		if c.N > 0 && c.what != "" {
			say("%d %s", c.N, c.what)
		}
	}
	for _, f := range r.Findings {
		say("stale: %s %s, %d s old, Cache-Status: %s", f.Language, f.Call, f.Age, cmp.Or(f.CacheStatus, "none"))
		for _, d := range f.Differences[:min(len(f.Differences), maxPrinted)] {
			say("  %s: %s", cmp.Or(d.Path, "the response"), d.Kind)
		}
		if more := len(f.Differences) - maxPrinted; more > 0 {
			say("  and %d more differences", more)
		}
	}
	return failed
}
